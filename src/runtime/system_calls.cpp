#include "runtime/system_calls.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

namespace plumb::runtime {
namespace {

struct Call {
  long number;
  const char* name;
};
constexpr Call kCalls[] = {
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_connect, "connect"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_epoll_pwait2, "epoll_pwait2"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_fcntl, "fcntl"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_flock, "flock"},
    {SYS_fsync, "fsync"},
    {SYS_futex, "futex"},
    {SYS_io_getevents, "io_getevents"},
    {SYS_io_uring_enter, "io_uring_enter"},
    {SYS_ioctl, "ioctl"},
    {SYS_mq_timedreceive, "mq_timedreceive"},
    {SYS_mq_timedsend, "mq_timedsend"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_open, "open"},
    {SYS_openat, "openat"},
    {SYS_pause, "pause"},
    {SYS_poll, "poll"},
    {SYS_ppoll, "ppoll"},
    {SYS_pread64, "pread64"},
    {SYS_pselect6, "pselect6"},
    {SYS_pwrite64, "pwrite64"},
    {SYS_read, "read"},
    {SYS_readv, "readv"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmmsg, "recvmmsg"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_select, "select"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_sendmmsg, "sendmmsg"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_sendto, "sendto"},
    {SYS_splice, "splice"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_write, "write"},
    {SYS_writev, "writev"},
};

}  // namespace

std::string system_call_name(long number) {
  const auto* const found = std::find_if(std::begin(kCalls), std::end(kCalls),
                                         [&](const Call& call) { return call.number == number; });
  return found == std::end(kCalls) ? "number " + std::to_string(number) : found->name;
}

}  // namespace plumb::runtime
