/**
 * The bench's models of every protocol, in a separate process. The first request of a kind is answered by the scripted
 * model of the testkit; its frames are stored and written again for the next ones, so that all protocols are served at
 * the same pace. The name of the model selects its answer. Reports to the parent when a request for
 * an answer arrived, and its bytes.
 */

import { createServer } from 'node:http';
import { answer, fakeModel, finish, text } from '@castor/testkit';
import { play, words } from './play.mjs';

const ANSWERS = { short: pieces(8, 40), long: pieces(20_000, 100) };
/** The path of each protocol's streamed answer. */
const PATHS = {
  gemini: /:streamGenerateContent/,
  chat: /\/chat\/completions$/,
  responses: /\/responses$/,
  anthropic: /\/messages$/,
  ollama: /\/api\//,
};

function pieces(count, length) {
  const texts = Array.from({ length: count }, (_, index) => text(words(index, length)));
  // As much as a first request has: a server that reads far less has cut it, which the program tells.
  const usage = { promptTokenCount: 2500, candidatesTokenCount: count, totalTokenCount: 2500 + count };
  return answer(...texts, finish('STOP', { usage }));
}

const models = {};
for (const protocol of Object.keys(PATHS)) {
  models[protocol] = await fakeModel(({ model }) => ANSWERS[kindOf(model)], { protocol });
}

function kindOf(model) {
  return model.endsWith('long') ? 'long' : 'short';
}

/** By protocol and model: its headers and its frames. */
const stored = new Map();

async function record(protocol, request, body) {
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
  const given = body.length > 0 ? { body } : {};
  const response = await fetch(models[protocol].url + request.url, { method: request.method, headers, ...given });
  const sent = await response.text();
  if (!response.ok) throw new Error(`The model of ${protocol} answered ${response.status}: ${sent}`);
  const type = response.headers.get('content-type') ?? 'application/json';
  const frames = sent.split(type.startsWith('text/event-stream') ? /(?<=\n\r?\n)/ : /(?<=\n)/);
  return { type, frames };
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  const answer = async () => {
    const arrived = performance.timeOrigin + performance.now();
    const body = Buffer.concat(chunks);
    const path = request.url.split('?')[0];
    const protocol = Object.keys(PATHS).find((name) => PATHS[name].test(path));
    if (protocol === undefined) throw new Error(`No model answers ${request.url}.`);
    const model = /models\/([^:]+):/.exec(path)?.[1] ?? (body.length > 0 ? JSON.parse(body).model : '');
    // Not for what is asked about a model, such as its window.
    if (/contents|messages|input/.test(body)) process.send({ arrived, bytes: body.length });
    const key = `${path} ${kindOf(model)}`;
    if (!stored.has(key)) stored.set(key, await record(protocol, request, body));
    const { type, frames } = stored.get(key);
    response.writeHead(200, { 'content-type': type });
    play(response, frames);
  };
  request.on('end', () => void answer());
});

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
// A killed bench leaves no listening process.
process.on('disconnect', () => process.exit());
