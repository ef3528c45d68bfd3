/**
 * Runs in a network of its own, as root there: a resolver on port 53 that knows one address for every name and remembers
 * the names, servers that remember who connected, the scripted model, and the program. Prints what happened as JSON.
 */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';

const flags = process.argv.slice(2);
const names: string[] = [];
const resolver = createSocket('udp4');
resolver.on('message', (query, from) => {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
  names.push(labels.join('.'));
  const isAddress = query.readUInt16BE(at + 1) === 1;
  const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  resolver.send(
    Buffer.concat([header, query.subarray(12, at + 5), ...(isAddress ? [record] : [])]),
    from.port,
    from.address,
  );
});
resolver.bind(53, '127.0.0.1');
await once(resolver, 'listening');

let connections = 0;
const outside = createServer((socket) => {
  connections++;
  socket.end();
}).listen(0, '127.0.0.1');
await once(outside, 'listening');
const { port } = outside.address() as AddressInfo;

await using model = await fakeModel([
  answer(
    call('web_fetch', { prompt: `read http://page.test:${port}/` }),
    call('run_shell_command', { command: `echo > /dev/tcp/127.0.0.1/${port} && echo reached$((40 + 2))` }),
    call('run_shell_command', { command: `curl -s -m 5 http://command.test:${port}/ || echo refused` }),
    call('run_shell_command', { command: 'getent hosts name.test || echo unknown' }),
    call('invoke_agent', { agent_name: 'far', prompt: 'help' }),
    call('run_shell_command', { command: 'echo', additional_permissions: { outside_sandbox: true } }),
  ),
  say('done'),
]);
await using workspace = await createWorkspace({
  files: {
    '.gemini/agents/far.md': `---\nkind: remote\nname: far\ndescription: far\nagent_card_url: http://agent.test:${port}/card\n---\n`,
  },
});
mkdirSync(join(workspace.home, '.gemini'), { recursive: true });
const settings = {
  mcpServers: { far: { httpUrl: `http://server.test:${port}/mcp`, timeout: 2000 } },
  telemetry: { enabled: true, target: 'local', otlpEndpoint: `http://collector.test:${port}`, otlpProtocol: 'http' },
};
writeFileSync(join(workspace.home, '.gemini', 'settings.json'), JSON.stringify(settings));
const result = await runCli(['-p', 'go', '-y', '--skip-trust', '--acknowledge-agents', '-o', 'json', ...flags], {
  workspace,
  env: { GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: model.url.replace('127.0.0.1', 'model.test') },
});
const audit = await runCli(['audit', 'show', '-o', 'json', '-n', '0'], { workspace });
process.stdout.write(
  JSON.stringify({
    names: [...new Set(names)].sort(),
    connections,
    code: result.code,
    stdout: result.stdout,
    stderr: result.stderr,
    audit: JSON.parse(audit.stdout) as unknown,
    last: JSON.stringify(model.requests.at(-1)?.body ?? {}),
    first: JSON.stringify(model.requests[0]?.body ?? {}),
  }),
);
process.exit(0);
