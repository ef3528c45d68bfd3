/** The minimal client over a keep-alive connection: sends the bytes, reads the answer. */

import { Agent, request as createRequest } from 'node:http';

export function createBareClient(url) {
  const agent = new Agent({ keepAlive: true });
  return (model, body) =>
    new Promise((resolve, reject) => {
      const outgoing = createRequest(`${url}/v1beta/models/${model}:streamGenerateContent?alt=sse`, {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': 'bench', 'content-length': body.length },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const chunks = [];
        incoming.on('error', reject);
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('end', () => resolve(Buffer.concat(chunks)));
      });
      outgoing.end(body);
    });
}
