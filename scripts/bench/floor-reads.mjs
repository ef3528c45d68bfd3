/** Floor of run-reads.mjs: a loop of twenty lines that reads the requested files and sends them back. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBareClient } from './bare-http.mjs';

const [, , url, root, prompts] = process.argv;
const post = createBareClient(url);
const contents = [];

for (let prompt = 0; prompt < Number(prompts); prompt++) {
  contents.push({ role: 'user', parts: [{ text: 'Read the files.' }] });
  for (let open = true; open;) {
    const answer = await post('reads', Buffer.from(JSON.stringify({ contents })));
    const parts = answer
      .toString()
      .split('\r\n\r\n')
      .filter(Boolean)
      .flatMap((frame) => JSON.parse(frame.slice(6)).candidates[0].content.parts);
    contents.push({ role: 'model', parts });
    const responses = [];
    for (const { functionCall } of parts.filter((part) => part.functionCall)) {
      const { id, name, args } = functionCall;
      const output = await readFile(join(root, args.file_path), 'utf8');
      responses.push({ functionResponse: { id, name, response: { output } } });
    }
    open = responses.length > 0;
    if (open) contents.push({ role: 'user', parts: responses });
  }
}
