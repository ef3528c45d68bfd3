/**
 * The bench's model, in a process of its own so that it takes no time of what is
 * measured. The name of the model says which stream it plays: `short` or `long`.
 * Tells its parent when a request arrived, on the clock both share.
 */

import { createServer } from 'node:http';

const STREAMS = { short: frames(8, 40), long: frames(20_000, 100) };

function frames(count, length) {
  const frame = (candidate, rest = {}) => `data: ${JSON.stringify({ candidates: [candidate], ...rest })}\r\n\r\n`;
  const content = (index) =>
    frame({ content: { role: 'model', parts: [{ text: words(index, length) }] }, index: 0 }, { modelVersion: 'bench' });
  const end = frame(
    { content: { role: 'model', parts: [{ text: '.' }] }, finishReason: 'STOP', index: 0 },
    { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: count, totalTokenCount: count + 4 } },
  );
  return [...Array.from({ length: count - 1 }, (_, index) => content(index)), end];
}

/** Never the same twice: an answer that repeats itself is stopped, and rightly so. */
function words(seed, length) {
  let text = '';
  for (let state = seed + 1; text.length < length;) {
    state = (state * 48_271) % 2_147_483_647;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, length);
}

/** Writes frame by frame, as fast as the reader takes them. */
function play(response, stream) {
  let index = 0;
  const more = () => {
    while (index < stream.length) {
      if (!response.write(stream[index++])) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

const server = createServer((request, response) => {
  const arrived = performance.timeOrigin + performance.now();
  request.resume().on('end', () => {
    process.send({ arrived });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    play(response, request.url.includes('/long:') ? STREAMS.long : STREAMS.short);
  });
});

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
