// A program with traits, generics, closures and formatting: something to look up addresses in.
use std::collections::{BTreeMap, HashMap};
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64),
    Operator(char),
    Name(String),
}

#[derive(Debug)]
enum Problem {
    Character(char, usize),
    Missing(String),
    Stack,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Character(c, at) => write!(f, "{c:?} at {at}"),
            Problem::Missing(name) => write!(f, "no value for {name}"),
            Problem::Stack => f.write_str("an operand is missing"),
        }
    }
}

impl std::error::Error for Problem {}

trait Source {
    fn value(&self, name: &str) -> Option<f64>;
}

impl Source for HashMap<String, f64> {
    fn value(&self, name: &str) -> Option<f64> {
        self.get(name).copied()
    }
}

impl Source for BTreeMap<String, f64> {
    fn value(&self, name: &str) -> Option<f64> {
        self.get(name).copied()
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Problem> {
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        match c {
            ' ' => continue,
            '+' | '-' | '*' | '/' => found.push(Token::Operator(c)),
            c if c.is_alphanumeric() => {
                let mut end = start + c.len_utf8();
                while let Some((at, next)) = rest.next_if(|(_, next)| next.is_alphanumeric() || *next == '.') {
                    end = at + next.len_utf8();
                }
                let word = &text[start..end];
                found.push(word.parse().map_or_else(|_| Token::Name(word.to_owned()), Token::Number));
            }
            c => return Err(Problem::Character(c, start)),
        }
    }
    Ok(found)
}

/// Works out an expression in postfix order.
fn evaluate<S: Source + ?Sized>(tokens: &[Token], source: &S) -> Result<f64, Problem> {
    let mut stack: Vec<f64> = Vec::new();
    for token in tokens {
        let value = match token {
            Token::Number(value) => *value,
            Token::Name(name) => source.value(name).ok_or_else(|| Problem::Missing(name.clone()))?,
            Token::Operator(operator) => {
                let (right, left) = stack.pop().zip(stack.pop()).ok_or(Problem::Stack)?;
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ => left / right,
                }
            }
        };
        stack.push(value);
    }
    stack.pop().ok_or(Problem::Stack)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let hashed: HashMap<String, f64> = arguments.iter().map(|a| (a.clone(), a.len() as f64)).collect();
    let ordered: BTreeMap<String, f64> = hashed.iter().map(|(name, value)| (name.clone(), *value)).collect();
    let sources: [&dyn Source; 2] = [&hashed, &ordered];
    for text in arguments.iter().skip(1) {
        let tokens = tokens(text)?;
        for source in sources {
            println!("{text}: {:.3}", evaluate(&tokens, source)?);
        }
    }
    Ok(())
}
