/**
 * The program that holds the network of a session: it passes connections to our proxy through a Unix socket, and answers
 * every question about a name with "no such name". Plain JavaScript in a text, because it runs as a process of its own.
 */

export const HOLDER_SOURCE = String.raw`
const net = require('node:net');
const dgram = require('node:dgram');
const [socketPath, port] = process.argv.slice(1);
const proxy = net.createServer((inner) => {
  const outer = net.connect(socketPath);
  inner.on('error', () => outer.destroy());
  outer.on('error', () => inner.destroy());
  inner.on('close', () => outer.destroy());
  outer.on('close', () => inner.destroy());
  inner.pipe(outer).pipe(inner);
});
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
  if (name !== '') process.stdout.write('query ' + name + '\n');
  const answer = Buffer.from(message.subarray(0, Math.min(message.length, at + 5)));
  answer.writeUInt16BE(0x8183, 2);
  answer.writeUInt16BE(1, 4);
  for (const offset of [6, 8, 10]) answer.writeUInt16BE(0, offset);
  resolver.send(answer, from.port, from.address);
});
resolver.on('error', () => {});
proxy.on('error', (error) => { console.error(error.message); process.exit(1); });
const ready = () => proxy.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
resolver.once('error', ready);
resolver.bind(53, '127.0.0.1', () => { resolver.removeListener('error', ready); ready(); });
process.stdin.on('end', () => process.exit(0)).resume();
`;
