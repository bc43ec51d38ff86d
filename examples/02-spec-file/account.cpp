// A bank account as a model for `plumb check --spec account.cpp HISTORY`: nothing to build.
#include <plumb/object_model.hpp>

struct Account {
  long balance = 0;

  void deposit(long amount) { balance += amount; }
  bool withdraw(long amount) {
    if (amount > balance) return false;
    balance -= amount;
    return true;
  }
  long read() const { return balance; }

  auto fields() const { return std::tie(balance); }
};

PLUMB_MODEL(Account, model) {
  model.operation("deposit", &Account::deposit);
  model.operation("withdraw", &Account::withdraw).reads_when_false();
  model.operation("read", &Account::read);
  model.from_value([](long balance) { return Account{balance}; });  // "initial" in the header of a history
}
