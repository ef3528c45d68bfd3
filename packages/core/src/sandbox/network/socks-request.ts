/**
 * Reads the beginning of a SOCKS5 connection: the greeting, the user name, and the host that is wanted. It decides nothing
 * and connects nowhere; what is no CONNECT is answered and closed.
 */

import type { Socket } from 'node:net';

export const SOCKS_VERSION = 5;

export interface SocksRequest {
  /** As it was written: a name, or an address in numbers. */
  host: string;
  port: number;
  user: string | undefined;
}

const SUCCEEDED = 0;
const UNREACHABLE = 4;
const NOT_ALLOWED = 2;
const UNKNOWN_COMMAND = 7;
const CONNECT = 1;
const NO_NAME = 0;
const WITH_NAME = 2;

/** Undefined for what is no request to connect; the socket is closed then. */
export async function readSocksRequest(socket: Socket): Promise<SocksRequest | undefined> {
  const bytes = new ByteReader(socket);
  try {
    const [, count = 0] = await bytes.take(2);
    const methods = await bytes.take(count);
    const method = [WITH_NAME, NO_NAME].find((each) => methods.includes(each));
    socket.write(Buffer.from([SOCKS_VERSION, method ?? 0xff]));
    if (method === undefined) throw new Error('no known method');
    const user = method === WITH_NAME ? await readUser(bytes) : undefined;
    if (user !== undefined) socket.write(Buffer.from([1, 0]));
    const [, command, , kind] = await bytes.take(4);
    const host = await readHost(bytes, kind ?? 0);
    const port = (await bytes.take(2)).readUInt16BE(0);
    if (command === CONNECT) return { host, port, user };
    answer(socket, UNKNOWN_COMMAND);
  } catch {
    // It closed, or speaks something else.
  } finally {
    bytes.release();
  }
  socket.end();
  return undefined;
}

/** Tells the program whether it may speak now: 200 as in HTTP, 403 for a denial, else a failure. */
export function answerSocks(socket: Socket, status: number): void {
  answer(socket, status === 200 ? SUCCEEDED : status === 403 ? NOT_ALLOWED : UNREACHABLE);
}

function answer(socket: Socket, code: number): void {
  socket.write(Buffer.from([SOCKS_VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]));
}

async function readUser(bytes: ByteReader): Promise<string> {
  const [, length = 0] = await bytes.take(2);
  const user = (await bytes.take(length)).toString('utf8');
  const [rest = 0] = await bytes.take(1);
  await bytes.take(rest);
  return user;
}

async function readHost(bytes: ByteReader, kind: number): Promise<string> {
  if (kind === 1) return [...(await bytes.take(4))].join('.');
  if (kind === 4) return (await bytes.take(16)).toString('hex').replaceAll(/(.{4})(?!$)/g, '$1:');
  if (kind !== 3) throw new Error('an unknown kind of address');
  const [length = 0] = await bytes.take(1);
  return (await bytes.take(length)).toString('latin1');
}

/** Takes as many bytes as are asked for, and gives the rest back. */
class ByteReader {
  private readonly socket: Socket;
  private held: Buffer = Buffer.alloc(0);
  private isClosed = false;
  private wake: () => void = () => undefined;
  private readonly onData = (chunk: Buffer) => {
    this.held = Buffer.concat([this.held, chunk]);
    this.wake();
  };
  private readonly onClose = () => {
    this.isClosed = true;
    this.wake();
  };

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', this.onData).once('close', this.onClose).once('end', this.onClose);
  }

  async take(count: number): Promise<Buffer> {
    while (this.held.length < count) {
      if (this.isClosed) throw new Error('the connection is closed');
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    return taken;
  }

  release(): void {
    this.socket.off('data', this.onData).off('close', this.onClose).off('end', this.onClose);
    this.socket.pause();
    if (this.held.length > 0) this.socket.unshift(this.held);
  }
}
