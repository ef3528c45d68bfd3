/** Why a call failed, for the user: what core words for the model tells it how to call again. Pure. */

import type { ToolCallView } from '@castor/core';
import { wordsOf } from './call-title.ts';

const FOR_THE_USER: readonly (readonly [RegExp, string])[] = [
  [/^Failed to edit: 0 occurrences of old_string found in .*/s, 'The text to replace is not in the file.'],
  [
    /^Failed to edit: expected 1 occurrence of old_string in .* but found (\d+).*/s,
    'The text to replace is in the file $1 times, and only one of them is meant.',
  ],
  [/^Subagent '[^']*' failed\. Error: ([^\n]*).*/s, '$1'],
];

/** The call with the sentence for the user; unchanged where its words are for both. */
export function withWordsForUser(call: ToolCallView): ToolCallView {
  const said = wordsOf(call);
  const [pattern, words] = FOR_THE_USER.find(([each]) => each.test(said)) ?? [];
  if (pattern === undefined || words === undefined) return call;
  const message = said.replace(pattern, words);
  return {
    ...call,
    ...(call.error && { error: { ...call.error, message } }),
    ...(call.result === said && { result: message }),
  };
}
