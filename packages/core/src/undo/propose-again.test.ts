/** The conversation of a restore point ends with the call that is proposed again, under its new id. */

import { expect, it } from 'vitest';
import { proposeAgain } from './propose-again.ts';

const USER = { role: 'user', parts: [{ text: 'Go.' }] };
const args = { file_path: 'a' };
const call = { callId: 'new', name: 'replace', args };
const requested = (id: string | undefined, own: object = args) => ({
  thoughtSignature: 's',
  functionCall: { ...(id !== undefined && { id }), name: 'replace', args: { ...own } },
});

it('renames the call of the point, and nothing else of the answer', () => {
  const answer = { role: 'model', parts: [{ text: 'So.' }, requested('other'), requested('old', { file_path: 'b' })] };
  const again = { ...requested('new', { file_path: 'b' }) };
  expect(proposeAgain([USER, answer], call, 'old')).toEqual([
    USER,
    { role: 'model', parts: [{ text: 'So.' }, requested('other'), again] },
  ]);
});

it('finds a call without an id by its arguments', () => {
  const answer = { role: 'model', parts: [requested(undefined, { file_path: 'b' }), requested(undefined)] };
  const [, last] = proposeAgain([USER, answer], call, undefined);
  expect(last?.parts?.map(({ functionCall }) => functionCall?.id)).toEqual([undefined, 'new']);
});

it('adds the call where the conversation lacks it', () => {
  const added = { role: 'model', parts: [{ functionCall: { id: 'new', name: 'replace', args } }] };
  expect(proposeAgain([USER], call, 'old')).toEqual([USER, added]);
  expect(proposeAgain([], call, undefined)).toEqual([added]);
});
