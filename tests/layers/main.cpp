// Only there to be linked: with one layer of src/ and those that it stands on.
int main() { return 0; }
