import { GeminiEventType } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import { expect, it } from 'vitest';
import { toReadableText } from './sessions-text.ts';

it('shows an edit by its diff, without the files that it is of', () => {
  const [callId, name] = ['c', 'write_file'];
  const fileDiff = '@@ -0,0 +1 @@\n+hello';
  const edit = { fileDiff, fileName: 'x.txt', filePath: '/p/x.txt', originalContent: '', newContent: 'hello\n' };
  const events: AgentEvent[] = [
    {
      type: GeminiEventType.ToolCallRequest,
      value: { callId, name, args: {}, isClientInitiated: false, prompt_id: 'p' },
    },
    {
      type: GeminiEventType.ToolCallResponse,
      value: { callId, responseParts: [], resultDisplay: edit, error: undefined, errorType: undefined },
    },
  ];
  const text = toReadableText(events).map((piece) => piece.text);
  expect(text.join('')).toBe('[write_file]\n\n  @@ -0,0 +1 @@\n  +hello\n');
});
