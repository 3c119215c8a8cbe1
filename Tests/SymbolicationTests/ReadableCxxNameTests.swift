import Testing

@testable import Symbolication

/// `ReadableCxxName` leaves out the template arguments that the compiler added.
@Suite struct ReadableCxxNameTests {
  private static let string = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

  @Test(arguments: [
    ("f(\(string))", "f(std::string)"),
    ("f(\(string) const&, int)", "f(std::string const&, int)"),
    ("\(string)::basic_string(char const*)", "std::string::basic_string(char const*)"),
    (
      "std::map<\(string), A*, std::less<\(string) >, std::allocator<std::pair<\(string) const, A*> > >::at(\(string) const&)",
      "std::map<std::string, A*>::at(std::string const&)"
    ),
    (
      "std::unordered_map<int, long, std::hash<int>, std::equal_to<int>, std::allocator<std::pair<int const, long> > >::clear()",
      "std::unordered_map<int, long>::clear()"
    ),
    ("f(std::set<int, std::less<int>, std::allocator<int> >)", "f(std::set<int>)"),
    ("f(std::queue<int, std::deque<int, std::allocator<int> > >)", "f(std::queue<int>)"),
    (
      "f(std::priority_queue<int, std::vector<int, std::allocator<int> >, std::less<int> >)",
      "f(std::priority_queue<int>)"
    ),
    ("f(std::unique_ptr<A, std::default_delete<A> >)", "f(std::unique_ptr<A>)"),
    ("f(std::unique_ptr<A [], std::default_delete<A []> >)", "f(std::unique_ptr<A []>)"),
    ("f(std::__1::vector<int, std::__1::allocator<int>>)", "f(std::vector<int>)"),
    (
      "f(std::__cxx11::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >, "
        + "std::basic_string_view<char, std::char_traits<char> >)",
      "f(std::wstring, std::string_view)"
    ),
    (
      "std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char)",
      "std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char)"
    ),
    ("f(std::function<void (std::vector<int, std::allocator<int> >)>)", "f(std::function<void (std::vector<int>)>)"),
    ("name[abi:cxx11]()", "name()"), ("X<(E)1, (2)>::f(std::mutex)", "X<(E)1, (2)>::f(std::mutex)"),
    (
      "run(std::thread)::{lambda(int)#1}::operator()(int) const",
      "run(std::thread)::{lambda(int)#1}::operator()(int) const"
    ),
    ("Box<std::mutex>::operator->() const", "Box<std::mutex>::operator->() const"),
    ("bool operator< <std::mutex>(A, B)", "bool operator< <std::mutex>(A, B)"),
    (
      "Box<std::mutex>::operator std::vector<int, std::allocator<int> >()",
      "Box<std::mutex>::operator std::vector<int>()"
    ),
  ])
  func whatNobodyWroteIsLeftOut(_ name: String, _ simplified: String) {
    #expect(ReadableCxxName.simplified(name) == simplified)
    #expect(ReadableCxxName.simplified(simplified) == simplified)
  }

  /// Another order, allocator or deleter is a part of the type, and others may have a namespace `std`.
  @Test(
    arguments: [
      (
        "f(std::map<int, int, std::greater<int>, std::allocator<std::pair<int const, int>>>)",
        "f(std::map<int, int, std::greater<int>>)"
      ),
      (
        "f(std::map<int, int, std::less<void>, std::allocator<std::pair<int const, int>>>)",
        "f(std::map<int, int, std::less<void>>)"
      ),
      ("f(std::basic_string<char, Traits, std::allocator<char>>)", "f(std::basic_string<char, Traits>)"),
      ("f(std::vector<int, pool::allocator<int>>)", nil), ("f(std::unique_ptr<A, Free>)", nil),
      ("f(own::std::vector<int, std::allocator<int>>)", nil), ("f(mystd::vector<int, std::allocator<int>>)", nil),
      ("f(std::basic_string<Letter>)", nil), ("f(std::_Vector_base<int, std::allocator<int>>)", nil),
      ("f(std::own::__1x::A)", nil), ("f(a::__1::std::B)", nil),
    ] as [(String, String?)])
  func whatSomebodyWroteStays(_ name: String, _ shown: String?) {
    #expect(ReadableCxxName.simplified(name) == shown ?? name)
  }

  @Test(arguments: [
    "std::", "std::vector<", "std::vector<int", "std::vector<int>>", "f(std::vector<int>", "std::a)", "std::[abi:",
    "<std::>",
    "std::vector<,>", "std::vector<int,,std::allocator<", "std::operator", "std::operator<", "std::operator<<",
    "\u{1B}[2Jstd::\n", "std::basic_<char>", "std::basic_string<>",
  ])
  func namesThatAreNotWholeEnd(_ name: String) {
    #expect(!ReadableCxxName.simplified(name).isEmpty)
  }

  @Test func deepAndLongNamesEnd() {
    for (open, close) in [("std::vector<", ">"), ("(std::", ")"), ("{", "}")] {
      let deep = String(repeating: open, count: 5_000) + "std::a" + String(repeating: close, count: 5_000)
      #expect(ReadableCxxName.simplified(deep) == deep)
    }
    let wide = "std::tuple<" + Array(repeating: "std::mutex", count: 5_000).joined(separator: ", ") + ">"
    #expect(ReadableCxxName.simplified(wide) == wide)
  }

  /// Fingerprints and the full names have what the compiler wrote.
  @Test func fingerprintsStay() {
    let mangled = "_Z1fISaIiEEiSt6vectorIiT_ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
    #expect(Demangler.demangle(mangled, full: false) == "int f<std::allocator<int>>(std::vector<int>, std::string)")
    #expect(Demangler.demangle(mangled, full: true).contains("basic_string<char, std::char_traits<char>"))
    let method = "_ZNSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE4sizeEv"
    #expect(FunctionIdentity.name(ofLinkageName: method).hasPrefix("std::vector<std::__cxx11::basic_string<char, "))
  }
}
