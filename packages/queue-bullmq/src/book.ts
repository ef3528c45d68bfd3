/**
 * Book: small documents beside BullMQ's jobs, in the same server. Money, counts and results need changes of several documents at
 * once, which a queue does not offer: a write counts only while every document is as it was read.
 */

export interface Place {
  /** Documents that are listed and dropped together. */
  shelf: string;
  key: string;
}

export interface Change extends Place {
  /** As it was read; undefined where it must not exist. */
  before: string | undefined;
  /** Undefined deletes it. */
  after: string | undefined;
}

export interface Book {
  read(places: readonly Place[]): Promise<(string | undefined)[]>;
  list(shelf: string): Promise<Map<string, string>>;
  /** All of them or none: false when one is no longer as it was. */
  write(changes: readonly Change[]): Promise<boolean>;
  drop(shelf: string): Promise<void>;
}

export interface Amendment<Result> {
  /** Documents by place; undefined deletes one. A place that was not read must not exist yet. */
  documents: readonly (readonly [Place, object | undefined])[];
  result: Result;
}

/** Writers of one document meet rarely; after so many meetings something else is wrong. */
const MOST_MEETINGS = 1_000;

/** Reads the places, decides, writes; again while another process was faster. The decision may run several times. */
export async function amend<Result>(
  book: Book,
  places: readonly Place[],
  decide: (documents: readonly unknown[]) => Amendment<Result>,
): Promise<Result> {
  for (let meeting = 0; meeting < MOST_MEETINGS; meeting += 1) {
    const texts = await book.read(places);
    const { documents, result } = decide(texts.map((text) => (text === undefined ? undefined : JSON.parse(text))));
    const isAt = (one: Place) => (other: Place) => one.shelf === other.shelf && one.key === other.key;
    // What is deleted unread never changes: a result.
    const unread = documents.flatMap(([place, after]) => (after || places.some(isAt(place)) ? [] : [place]));
    const [known, befores] = [
      [...places, ...unread],
      [...texts, ...(await book.read(unread))],
    ];
    const changes = documents.map(([place, document]) => {
      const after = document === undefined ? undefined : JSON.stringify(document);
      return { ...place, before: befores[known.findIndex(isAt(place))], after };
    });
    const real = changes.filter(({ before, after }) => before !== after);
    if (real.length === 0 || (await book.write(real))) return result;
    // Some milliseconds apart, so that many writers do not meet again.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** meeting, 50)));
  }
  throw new Error('The queue changes too fast: a document was never as it was read.');
}
