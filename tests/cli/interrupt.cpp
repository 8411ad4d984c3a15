// Runs a command and intercepts its system calls:
//   interrupt kill N COMMAND...            kills it when it enters its Nth system call
//   interrupt fail N COMMAND...            makes its Nth system call fail
//   interrupt during CALL SHELL COMMAND... runs a shell command, with $TRACED as the process, whenever it enters the system call of that
//   number
// Prints the number of system calls and which of them created the first file (0: none). Exits with the command's exit code, 128 plus the
// signal that ended it, or 125 if it cannot trace.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

namespace {

constexpr int cannot_trace = 125;

// The number of a call that does not exist, then the error it returns: the call itself does not happen.
void set_call(pid_t thread, long number) {
  user_regs_struct registers{};
  ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
  registers.orig_rax = static_cast<unsigned long long>(number);
  ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
}
void set_result(pid_t thread, long result) {
  user_regs_struct registers{};
  ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
  registers.rax = static_cast<unsigned long long>(result);
  ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
}

long call_of(pid_t thread) {
  user_regs_struct registers{};
  ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
  return static_cast<long>(registers.orig_rax);
}

// Whether the thread enters openat with O_CREAT.
bool creates(pid_t thread) {
  user_regs_struct registers{};
  ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
  return registers.orig_rax == SYS_openat && (registers.rdx & O_CREAT) != 0;
}

int finish(long calls, long creation, int code) {
  std::printf("%ld %ld\n", calls, creation);
  return code;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mode = count < 5 ? "" : arguments[1];
  if (mode != "kill" && mode != "fail" && mode != "during") return 2;
  const bool kills = mode == "kill", fails = mode == "fail";
  const long chosen = std::atol(arguments[2]);
  const char* const shell = mode == "during" ? arguments[3] : nullptr;
  char** const command = arguments + (shell == nullptr ? 3 : 4);
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(cannot_trace);
    execv(command[0], command);
    _exit(cannot_trace);
  }
  int status = 0;
  setenv("TRACED", std::to_string(child).c_str(), 1);
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return cannot_trace;
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE) != 0) return cannot_trace;
  ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  std::set<pid_t> inside;  // threads within a system call
  long calls = 0, creation = 0;
  pid_t failing = 0;
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return cannot_trace;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == child) return finish(calls, creation, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      signal = 0;
      if (inside.insert(thread).second) {
        ++calls;
        if (creation == 0 && creates(thread)) creation = calls;
        if (calls == chosen && kills) {
          kill(child, SIGKILL);
          continue;
        }
        if (shell != nullptr && call_of(thread) == chosen && std::system(shell) != 0) return 2;
        if (calls == chosen && fails) {
          failing = thread;
          set_call(thread, -1);
        }
      } else {
        inside.erase(thread);
        if (thread == failing) set_result(thread, -EIO);
        if (thread == failing) failing = 0;
      }
    } else if (signal == SIGTRAP || signal == SIGSTOP) {
      signal = 0;  // a new thread
    }
    ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<long>(signal));
  }
}
