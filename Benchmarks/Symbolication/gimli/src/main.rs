//! Answers addresses from standard input with functions, inlined calls, files and lines, as addr2line's own example does.

use std::borrow::Cow;
use std::io::{self, BufRead, BufWriter, Write};
use std::{env, error, fs};

use addr2line::{demangle_auto, Context};
use object::{Object, ObjectSection};

fn main() -> Result<(), Box<dyn error::Error>> {
    let path = env::args_os().nth(1).ok_or("usage: gimli-addr2line FILE < ADDRESSES")?;
    let map = unsafe { memmap2::Mmap::map(&fs::File::open(path)?)? };
    let object = object::File::parse(&*map)?;
    let sections = gimli::Dwarf::load(|id| -> Result<Cow<[u8]>, gimli::Error> {
        let section = object.section_by_name(id.name());
        Ok(section.and_then(|section| section.uncompressed_data().ok()).unwrap_or(Cow::Borrowed(&[])))
    })?;
    let context = Context::from_dwarf(sections.borrow(|bytes| gimli::EndianSlice::new(bytes, gimli::LittleEndian)))?;
    let symbols = object.symbol_map();
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let address = u64::from_str_radix(line?.trim().trim_start_matches("0x"), 16)?;
        writeln!(out, "{address:#x}")?;
        let mut frames = context.find_frames(address)?;
        let mut found = false;
        while let Some(frame) = frames.next()? {
            found = true;
            match &frame.function {
                Some(function) => writeln!(out, "{}", function.demangle()?)?,
                None => writeln!(out, "??")?,
            }
            let place = frame.location.as_ref();
            let file = place.and_then(|place| place.file).unwrap_or("??");
            writeln!(out, "{}:{}", file, place.and_then(|place| place.line).unwrap_or(0))?;
        }
        if !found {
            let name = symbols.get(address).map_or(Cow::Borrowed("??"), |symbol| demangle_auto(symbol.name().into(), None));
            writeln!(out, "{name}\n??:0")?;
        }
    }
    Ok(())
}
