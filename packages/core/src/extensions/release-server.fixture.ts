/** A server with GitHub's release API, its downloads, and git over smart HTTP, for tests. */

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = object | Buffer | number | { redirect: string };

export interface ReleaseServer extends AsyncDisposable {
  readonly url: string;
  /** By path. An object is sent as JSON, a number is a status. */
  readonly answers: Record<string, Answer>;
  readonly requests: { path: string; authorization: string | undefined }[];
}

/** `repositories` is a folder of git repositories, served below `/git/`. */
export async function createReleaseServer(repositories?: string): Promise<ReleaseServer> {
  const answers: ReleaseServer['answers'] = {};
  const requests: ReleaseServer['requests'] = [];
  const server = createServer((request, response) => {
    const { url = '/', headers } = request;
    requests.push({ path: url, authorization: headers.authorization });
    if (repositories !== undefined && url.startsWith('/git/')) return runBackend(repositories, request, response);
    const answer = answers[url] ?? 404;
    if (typeof answer === 'number') return void response.writeHead(answer).end();
    if ('redirect' in answer) return void response.writeHead(302, { location: answer.redirect }).end();
    return void response.writeHead(200).end(Buffer.isBuffer(answer) ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    answers,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `git http-backend` is a CGI program. */
function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://x');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname.slice('/git'.length),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.on('close', () => {
    const all = Buffer.concat(pieces);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.end(all.subarray(end + 4));
  });
}
