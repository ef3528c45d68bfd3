/**
 * The program that holds the network of a session: it passes connections to our proxy through a Unix socket, and answers
 * questions about names as we tell it: with no address, or with one of its own behind which it passes connections on. It tells
 * which ports commands listen on, and passes our connections to them.
 * Plain JavaScript in a text, because it runs as a process of its own.
 */

export const HOLDER_SOURCE = String.raw`
const net = require('node:net');
const dgram = require('node:dgram');
const { readFileSync } = require('node:fs');
const [socketPath, port, doorPath] = process.argv.slice(1);
const join = (inner, outer) => {
  inner.on('error', () => outer.destroy());
  outer.on('error', () => inner.destroy());
  inner.on('close', () => outer.destroy());
  outer.on('close', () => inner.destroy());
};
const proxy = net.createServer((inner) => {
  const outer = net.connect(socketPath);
  join(inner, outer);
  inner.pipe(outer).pipe(inner);
});
// A program without a proxy: its connection is wrapped into a CONNECT, which the proxy decides on.
const stand = (address, host, number) => net.createServer((inner) => {
  // It is read from while it waits, because its end is not seen otherwise.
  const early = [];
  const onEarly = (chunk) => early.push(chunk);
  inner.on('data', onEarly);
  const outer = net.connect(socketPath, () => outer.write('CONNECT ' + host + ':' + number + ' HTTP/1.1\r\nHost: ' + host + '\r\n\r\n'));
  join(inner, outer);
  let head = '';
  const onData = (chunk) => {
    head += chunk.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length < 8192) return;
    outer.off('data', onData);
    if (!/^HTTP\/1\.1 200 /.test(head)) return inner.destroy();
    inner.write(Buffer.from(head.slice(end + 4), 'latin1'));
    inner.off('data', onEarly);
    for (const each of early) outer.write(each);
    inner.pipe(outer).pipe(inner);
  };
  outer.on('data', onData);
}).on('error', () => {}).listen(number, address);
const stands = new Set();
const pending = new Map();
let last = 0;
const resolver = dgram.createSocket('udp4');
resolver.on('message', (message, from) => {
  if (message.length < 17) return;
  const labels = [];
  let at = 12;
  while (at < message.length && message[at] > 0 && message[at] < 64 && labels.length < 128) {
    labels.push(message.toString('latin1', at + 1, at + 1 + message[at]));
    at += message[at] + 1;
  }
  const name = labels.join('.').replace(/[^\w.-]/g, '?').slice(0, 253);
  const kind = at + 2 < message.length ? message.readUInt16BE(at + 1) : 0;
  const question = Buffer.from(message.subarray(0, Math.min(message.length, at + 5)));
  const isAddress = kind === 1 || kind === 28;
  if (name === '' || !isAddress || pending.size > 500) return reply(question, from, kind, undefined);
  pending.set(++last, { question, from, kind });
  process.stdout.write('query ' + last + ' ' + name + '\n');
});
// A program that has ended no longer waits for the address of a name.
setInterval(() => {
  if (pending.size === 0) return;
  let text = '';
  try { text = readFileSync('/proc/self/net/udp', 'latin1'); } catch { return; }
  const open = new Set(text.split('\n').map((line) => Number.parseInt((/^\s*\d+: [0-9A-F]{8}:([0-9A-F]{4}) /.exec(line) || [])[1], 16)));
  for (const [id, { from }] of pending) {
    if (open.has(from.port)) continue;
    pending.delete(id);
    process.stdout.write('gone ' + id + '\n');
  }
}, 500).unref();
function reply(question, from, kind, address) {
  const answer = Buffer.concat([question, address !== undefined && kind === 1 ? record(address) : Buffer.alloc(0)]);
  answer.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2);
  answer.writeUInt16BE(1, 4);
  answer.writeUInt16BE(address !== undefined && kind === 1 ? 1 : 0, 6);
  for (const offset of [8, 10]) answer.writeUInt16BE(0, offset);
  resolver.send(answer, from.port, from.address);
}
function record(address) {
  return Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
}
function obey(line) {
  if (line === 'watch') return watch();
  const [, id, host, address, ports] = /^answer (\d+)(?: (\S+) (\S+) (\S+))?$/.exec(line) || [];
  const asked = pending.get(Number(id));
  if (!asked) return;
  pending.delete(Number(id));
  for (const number of ports === undefined ? [] : ports.split(',').map(Number)) {
    const key = address + ':' + number;
    if (!stands.has(key)) stand(address, host, number);
    stands.add(key);
  }
  reply(asked.question, asked.from, asked.kind, address);
}
// The ports on which commands listen; 0A is the state of a listening socket, and only addresses for everybody or localhost count.
const LOCAL = /^(?:00000000|0100007F|0{32}|0{24}01000000):([0-9A-F]{4})$/;
function listeningPorts() {
  const found = new Set();
  for (const file of ['/proc/self/net/tcp', '/proc/self/net/tcp6']) {
    let text = '';
    try { text = readFileSync(file, 'latin1'); } catch {}
    for (const line of text.split('\n').slice(1)) {
      const [, local, , state] = line.trim().split(/\s+/);
      const number = state === '0A' ? Number.parseInt((LOCAL.exec(local) || [])[1], 16) : 0;
      if (number >= 1024 && number !== Number(port)) found.add(number);
    }
  }
  return [...found].sort((left, right) => left - right).slice(0, 20).join(',');
}
let told = '';
let until = 0;
let timer;
function watch() {
  until = Date.now() + 600000;
  timer = timer || setInterval(() => {
    const now = listeningPorts();
    if (now !== told) process.stdout.write('ports ' + now + '\n');
    told = now;
    if (told === '' && Date.now() > until) timer = clearInterval(timer);
  }, 300);
}
net.createServer((outer) => {
  outer.on('error', () => outer.destroy());
  outer.once('readable', () => {
    const wanted = outer.read(2);
    if (wanted === null) return outer.destroy();
    const number = wanted.readUInt16BE(0);
    const inner = net.connect({ port: number, host: 'localhost', autoSelectFamily: true });
    join(inner, outer);
    inner.pipe(outer).pipe(inner);
  });
}).on('error', () => {}).listen(doorPath);
resolver.on('error', () => {});
proxy.on('error', (error) => { console.error(error.message); process.exit(1); });
const ready = () => proxy.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
resolver.once('error', ready);
resolver.bind(53, '127.0.0.1', () => { resolver.removeListener('error', ready); ready(); });
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) obey(line);
}).on('end', () => process.exit(0));
`;
