/* An atomic access with the hooks: programs without any of their own are known to be compiled with them by this. */
_Atomic int touched_for_program;
void touch_for_program(void) { touched_for_program = 1; }
