/**
 * The bench's model, in a separate process so that it takes no time from the measured one. The name of the model
 * selects its answer, without delay; those that are `announced` report to the parent when a request arrived, on the
 * clock both share.
 */

import { createServer } from 'node:http';
import { STEADY_LENGTH, createMarkdown } from './markdown.mjs';
import { play, words } from './play.mjs';

const SHORT = frames(8, 40);
const LONG = frames(20_000, 100);
/** Calls of one prompt; too few for the loop judge to be asked. */
const READS = 25;
const BYTES_PER_TOKEN = 4;
/** Twenty seconds of an answer. */
const STEADY = pieces(createMarkdown(STEADY_LENGTH), 25);
const STEADY_PER_SECOND = 400;

const MODELS = {
  short: { answer: () => SHORT, announced: true },
  long: { answer: () => LONG },
  plain: { answer: () => SHORT },
  /** The pace of a fast model, whatever the reader's pace. */
  steady: { answer: () => STEADY, perSecond: STEADY_PER_SECOND },
  reads: {
    announced: true,
    answer: (turn) => {
      const index = turn % (READS + 1);
      return index < READS ? calls([['read_file', { file_path: `file-${index}.txt` }]], turn) : SHORT;
    },
  },
  /** A prompt starts one agent, which reads a file and hands in its result. */
  children: {
    answer: (turn) => {
      const steps = [
        ['invoke_agent', { agent_name: 'generalist', prompt: `Read the file, ${turn}.` }],
        ['read_file', { file_path: 'large.txt' }],
        ['complete_task', { result: { response: 'Read.' } }],
      ];
      const step = steps[turn % (steps.length + 1)];
      return step ? calls([step], turn) : SHORT;
    },
  },
  /** Each sleep has a different reason: loop detection stops five equal calls in a row. */
  sleeps: {
    answer: (turn) => {
      const sleep = (index) => ['run_shell_command', { command: 'sleep 1', description: `Waits for job ${index}.` }];
      const eight = Array.from({ length: 8 }, (_, index) => sleep(index));
      return turn % 2 === 0 ? calls(eight, turn) : SHORT;
    },
  },
  /**
   * A call and an answer alternate; it counts the tokens it receives, so that the session is compressed as a real
   * one.
   */
  session: {
    answer: (turn, bytes) => {
      const promptTokenCount = Math.ceil(bytes / BYTES_PER_TOKEN);
      const answer = turn % 2 === 0 ? calls([['note', { text: `step ${turn}` }]], turn) : frames(4, 100);
      return [
        ...answer.slice(0, -1),
        frame({ parts: [{ text: '.' }] }, { finishReason: 'STOP' }, { promptTokenCount }),
      ];
    },
  },
};

function frames(count, length) {
  const content = (index) => frame({ parts: [{ text: words(index, length) }] }, {}, undefined);
  const usage = { promptTokenCount: 4, candidatesTokenCount: count, totalTokenCount: count + 4 };
  return [
    ...Array.from({ length: count - 1 }, (_, index) => content(index)),
    frame({ parts: [{ text: '.' }] }, { finishReason: 'STOP' }, usage),
  ];
}

function pieces(text, length) {
  const count = Math.ceil(text.length / length);
  const usage = { promptTokenCount: 4, candidatesTokenCount: count, totalTokenCount: count + 4 };
  return Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1;
    const piece = text.slice(index * length, (index + 1) * length);
    return frame({ parts: [{ text: piece }] }, isLast ? { finishReason: 'STOP' } : {}, isLast ? usage : undefined);
  });
}

function calls(list, turn) {
  const parts = list.map(([name, args], index) => ({ functionCall: { id: `call-${turn}-${index}`, name, args } }));
  return [
    frame({ parts: [{ text: words(turn, 40) }] }, {}, undefined),
    frame({ parts }, { finishReason: 'STOP' }, { promptTokenCount: 4, candidatesTokenCount: 4, totalTokenCount: 8 }),
  ];
}

function frame(content, candidate, usageMetadata) {
  const answer = {
    candidates: [{ content: { role: 'model', ...content }, ...candidate, index: 0 }],
    modelVersion: 'bench',
    usageMetadata,
  };
  return `data: ${JSON.stringify(answer)}\r\n\r\n`;
}

/** Writes every frame at its time, counted from the start: a late one does not delay the next. */
function playSteadily(response, stream, perSecond) {
  const started = performance.now();
  let index = 0;
  const next = () => {
    const due = ((performance.now() - started) * perSecond) / 1000;
    while (index < stream.length && index <= due) response.write(stream[index++]);
    if (index < stream.length) setTimeout(next, Math.max(1, started + (index * 1000) / perSecond - performance.now()));
    else response.end();
  };
  next();
}

/** Answers the summary request of a compression. */
function summarise(response) {
  const parts = [{ text: `<state_snapshot>${words(1, 2000)}</state_snapshot>` }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] }));
}

const turns = {};
const server = createServer((request, response) => {
  const arrived = performance.timeOrigin + performance.now();
  const [, name, method] = /\/models\/(?:gemini-2\.5-)?([a-z]+):(\w+)/.exec(request.url);
  const model = MODELS[name];
  let bytes = 0;
  request.on('data', (chunk) => (bytes += chunk.length));
  request.on('end', () => {
    if (model.announced) process.send({ arrived });
    if (method === 'generateContent') return summarise(response);
    const turn = turns[name] ?? 0;
    turns[name] = turn + 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const stream = model.answer(turn, bytes);
    if (model.perSecond) playSteadily(response, stream, model.perSecond);
    else play(response, stream);
  });
});

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
// A killed bench leaves no listening process.
process.on('disconnect', () => process.exit());
