/**
 * The plan of the fault suite: which case of providers.md section 8 applies to which protocols, and where a case is held
 * that is not a row of the table. Letters as in the plan: C Chat, R Responses, A Anthropic, G Gemini and Vertex, O Ollama.
 */

const ALL = 'CRAGO';

/** From T1 on, in the order of the plan. */
const LETTERS = `* * CRA C C * * * * * * A A A R R C C C * A A R * * * * * * * * C * * RA A * CO C * C * C C * C * C R C * * * C C
  * * * * O O C * A * * G G * * * *`;

export const PLAN: ReadonlyMap<string, string> = new Map(
  LETTERS.split(/\s+/).map((letters, index) => [`T${index + 1}`, letters === '*' ? ALL : letters]),
);

/** Cases that need more than one server, a file or the time: the test file, and the protocols it runs over. */
export const BESIDE: Readonly<Record<string, { file: string; letters: string }>> = {
  T20: { file: 'switching.test.ts', letters: ALL },
  T21: { file: 'switching.test.ts', letters: ALL },
  T24: { file: 'resume.test.ts', letters: ALL },
  T25: { file: 'resume.test.ts', letters: ALL },
  T57: { file: 'time-and-place.test.ts', letters: ALL },
  T58: { file: 'time-and-place.test.ts', letters: ALL },
  T59: { file: 'time-and-place.test.ts', letters: ALL },
  T64: { file: 'time-and-place.test.ts', letters: 'A' },
  T65: { file: 'time-and-place.test.ts', letters: ALL },
  T66: { file: 'time-and-place.test.ts', letters: ALL },
  T67: { file: '../../packages/core/src/provider/vertex/vertex.test.ts', letters: 'G' },
  T68: { file: '../../packages/core/src/provider/vertex/vertex.test.ts', letters: 'G' },
  T70: { file: 'time-and-place.test.ts', letters: ALL },
  T72: { file: 'time-and-place.test.ts', letters: ALL },
};

/** What a protocol cannot do. */
export const IMPOSSIBLE: Readonly<Record<string, { letters: string; because: string }>> = {
  T8: { letters: 'G', because: 'Gemini sends the arguments of a call whole' },
  T27: { letters: 'G', because: 'every model of the Gemini API sees' },
  T51: { letters: 'O', because: 'Ollama knows no filter: it stops, at its limit or at the end' },
};
