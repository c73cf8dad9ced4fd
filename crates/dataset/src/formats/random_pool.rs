//! `random_pool`: requests that are drawn, with repeats, from a file of them; or from several files, each a pool with a
//! name, of which each request has one entry.

use tokamark_conversation::{Conversation, History, Prompt, TextGroup, Turn};

use crate::DatasetError;
use crate::fields::Fields;
use crate::input::{Input, InputFile};
use crate::random::Stream;
use crate::reader::Reader;
use crate::sink::Sink;
use crate::store::{Store, Writer};

/// Requests that are drawn unless another number is asked for.
const DRAWS: u64 = 100;

/// Reads the format.
#[derive(Debug)]
pub(super) struct RandomPool;

/// One file's entries.
struct Pool {
    name: String,
    entries: Store,
}

impl Reader for RandomPool {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let is_batched = sink.options.batch != crate::Batch::default();
        if input.is_folder() && is_batched {
            let reason = "is a folder of pools, of which each request has one entry; batch sizes above 1 need one file";
            return Err(DatasetError::unusable(input.path(), reason));
        }
        let mut pools = Vec::new();
        for file in input.files() {
            let entries = read(file, sink)?;
            if entries.len() > 0 {
                pools.push(Pool { name: file.stem(), entries });
            } else if input.is_folder() && sink.faults.count() == 0 {
                return Err(DatasetError::Empty { path: file.path().to_owned(), hint: String::new() });
            }
        }
        // What is faulty is told before anything is drawn.
        if pools.is_empty() || (sink.faults.count() > 0 && !sink.plan.skip_bad_lines) {
            return Ok(());
        }
        let mut random = Stream::new(sink.options.seed, "random_pool");
        let flat = if is_batched { Some(Flat::of(&pools[0].entries)?) } else { None };
        for _ in 0..sink.options.entries.unwrap_or(DRAWS) {
            let mut turn = match &flat {
                Some(flat) => flat.draw(&pools[0].entries, sink.options.batch, &mut random)?,
                None if input.is_folder() => merged(&pools, &mut random)?,
                None => entry(&pools[0].entries, random.below(pools[0].entries.len()))?,
            };
            if input.is_folder() || is_batched {
                turn.row = sink.store.len();
            }
            sink.push(Conversation { history: History::None, ..Conversation::single(String::new(), turn) })?;
        }
        Ok(())
    }
}

fn read(file: &InputFile, sink: &mut Sink<'_>) -> Result<Store, DatasetError> {
    let mut pool = Writer::new();
    let mut lines = file.lines()?;
    while let Some(line) = lines.next()? {
        let mut fields = Fields::of_line(&line);
        fields.constant("type", "random_pool");
        for field in ["timestamp", "delay", "session_id"] {
            if fields.take(field).is_some() {
                fields.fault(field, "cannot be given, because requests are drawn in any order");
            }
        }
        let mut turn = super::single_turn::turn(&mut fields, sink.options);
        if sink.close(file, fields) {
            turn.row = sink.row();
            pool.push(&Conversation::single(String::new(), turn), 0)?;
        }
    }
    Ok(pool.finish())
}

fn entry(entries: &Store, number: u64) -> Result<Turn, DatasetError> {
    let conversation = entries.conversation(number).map_err(|reason| DatasetError::Stored { number, reason })?;
    Ok(conversation.turns.into_iter().next().unwrap_or_default())
}

/// One entry of each pool, its texts under the pool's name.
fn merged(pools: &[Pool], random: &mut Stream) -> Result<Turn, DatasetError> {
    let mut whole = Turn::default();
    let mut groups = Vec::new();
    for pool in pools {
        let mut drawn = entry(&pool.entries, random.below(pool.entries.len()))?;
        let texts: Vec<String> = drawn.texts().map(str::to_owned).collect();
        if !texts.is_empty() {
            groups.push(TextGroup { name: pool.name.clone(), texts });
        }
        whole.images.append(&mut drawn.images);
        whole.audios.append(&mut drawn.audios);
        whole.videos.append(&mut drawn.videos);
        // Of what a request has once, the first pool that has it says what it is.
        whole.role = whole.role.or(drawn.role);
        whole.model = whole.model.or(drawn.model);
        whole.output_tokens = whole.output_tokens.or(drawn.output_tokens);
        for (field, value) in drawn.extra {
            whole.extra.entry(field).or_insert(value);
        }
    }
    whole.prompt = Prompt::Groups(groups);
    Ok(whole)
}

/// Where the single texts and media of a pool are: the entry and the place in it.
#[derive(Default)]
struct Flat {
    texts: Vec<(u32, u32)>,
    images: Vec<(u32, u32)>,
    audios: Vec<(u32, u32)>,
    videos: Vec<(u32, u32)>,
}

impl Flat {
    fn of(entries: &Store) -> Result<Self, DatasetError> {
        let mut flat = Self::default();
        for number in 0..entries.len() {
            let turn = entry(entries, number)?;
            let places = |count: usize| (0..count).map(move |place| (number as u32, place as u32));
            flat.texts.extend(places(turn.texts().count()));
            flat.images.extend(places(turn.images.len()));
            flat.audios.extend(places(turn.audios.len()));
            flat.videos.extend(places(turn.videos.len()));
        }
        Ok(flat)
    }

    /// So many items of each kind, each drawn by itself.
    fn draw(&self, entries: &Store, batch: crate::Batch, random: &mut Stream) -> Result<Turn, DatasetError> {
        let mut one = |places: &[(u32, u32)]| -> Result<(Turn, usize), DatasetError> {
            let (number, place) = places[random.below(places.len() as u64) as usize];
            Ok((entry(entries, number.into())?, place as usize))
        };
        let (mut whole, mut texts) = (Turn::default(), Vec::new());
        let wanted = |places: &[(u32, u32)], count: u32| if places.is_empty() { 0 } else { count };
        for _ in 0..wanted(&self.texts, batch.texts) {
            let (turn, place) = one(&self.texts)?;
            texts.extend(turn.texts().nth(place).map(str::to_owned));
        }
        for _ in 0..wanted(&self.images, batch.images) {
            let (mut turn, place) = one(&self.images)?;
            whole.images.push(turn.images.swap_remove(place));
        }
        for _ in 0..wanted(&self.audios, batch.audios) {
            let (mut turn, place) = one(&self.audios)?;
            whole.audios.push(turn.audios.swap_remove(place));
        }
        for _ in 0..wanted(&self.videos, batch.videos) {
            let (mut turn, place) = one(&self.videos)?;
            whole.videos.push(turn.videos.swap_remove(place));
        }
        whole.prompt = Prompt::Texts(texts);
        Ok(whole)
    }
}
