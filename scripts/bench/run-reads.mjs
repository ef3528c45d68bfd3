/**
 * Measured program: prompts whose answer is a row of read_file calls, with the built-in tools under the built-in
 * policies. The model measures: the time from one request's arrival to the next is a whole tool round.
 */

import { randomUUID } from 'node:crypto';
import { createGeminiGenerator, createWorkspaceAgent } from '@castor/core';

const [, , url, root, home, prompts] = process.argv;
const agent = await createWorkspaceAgent({
  generator: createGeminiGenerator({ apiKey: 'bench', baseUrl: url }),
  model: 'reads',
  sessionId: randomUUID(),
  root,
  home,
  environment: { PATH: process.env.PATH },
});
for (let prompt = 0; prompt < Number(prompts); prompt++) {
  for await (const event of agent.session.prompt('Read the files.', new AbortController().signal)) {
    if (event.type === 'tool_call_response' && event.value.error) throw event.value.error;
    if (event.type === 'prompt_ended' && event.outcome !== 'completed') throw new Error(JSON.stringify(event));
  }
}
await agent.dispose();
