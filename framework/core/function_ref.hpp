#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace harmonium {
inline namespace v1 {

template <class Signature>
class FunctionRef;

/// A callable, borrowed for the length of a call: plain data, so that it may cross the plugin boundary, and no
/// allocation. It must not outlive what it refers to.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<Result, Callable&, Arguments...>)
      FunctionRef(Callable&& callable)  // NOLINT(google-explicit-constructor): a lambda converts at the call
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace v1
}  // namespace harmonium
