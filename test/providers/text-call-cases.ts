/** Rows of the fault table: calls that a small model wrote as plain text, and texts that only look like one (T62). */

import { say } from '@castor/testkit';
import { only } from './fault-case.fixture.ts';
import type { FaultCase } from './fault-case.fixture.ts';
import { checkPairs, inPieces } from './sent-pairs.fixture.ts';

const A = { name: 'read_file', args: { path: 'a' } };
const DONE = say('done');

const TEXT_CALLS: readonly (readonly [string, string])[] = [
  ['JSON', '{"name": "read_file", "arguments": {"path": "a"}}'],
  ['<tool_call>', '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>'],
  ['<function=…>', '<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>'],
  ['<invoke>', '<invoke name="read_file"><parameter name="path">a</parameter></invoke>'],
  ['[TOOL_CALLS]', '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}}]'],
  ['a fence', '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```'],
];
const LOCAL = { isLocal: true, access: { quirks: { textCalls: true } } };

export const TEXT_CALL_CASES: readonly FaultCase[] = TEXT_CALLS.flatMap(([form, words]): FaultCase[] => [
  {
    id: 'T62',
    title: `Q6: a call as text, ${form}`,
    protocols: only('CO'),
    scene: LOCAL,
    script: [say(inPieces(words, 5)), DONE],
    expected: { text: 'done', ran: [A], requests: 2 },
    check: checkPairs,
  },
  {
    id: 'T62',
    title: `Q6: the same inside prose, ${form}`,
    scene: LOCAL,
    script: [say(`You could write:\n${words}`)],
    expected: { text: `You could write:\n${words}`, ran: [], requests: 1 },
  },
  {
    id: 'T62',
    title: `Q6: the same from a hosted model, ${form}`,
    script: [say(words)],
    expected: { text: words, ran: [], requests: 1 },
  },
]);
