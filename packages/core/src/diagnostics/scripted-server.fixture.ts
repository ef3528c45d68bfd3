/** A language server for tests: it complains about every line with the word "nope", and tells so in the way it is given. */

import { createRequire } from 'node:module';

export type ScriptedWay = 'numbered' | 'in parts' | 'tsserver';

const RPC = createRequire(import.meta.url).resolve('vscode-jsonrpc/node');

/** With a `gate`, it does not answer before that file exists. */
export function scriptedServer(way: ScriptedWay, gate = '') {
  const script = `
    const { existsSync, watch } = require('node:fs');
    const { dirname } = require('node:path');
    const rpc = require(${JSON.stringify(RPC)});
    const [way, gate] = ${JSON.stringify([way, gate])};
    const connection = rpc.createMessageConnection(
      new rpc.StreamMessageReader(process.stdin), new rpc.StreamMessageWriter(process.stdout));
    const texts = new Map();
    const linesOf = (text = '') => text.split('\\n').flatMap((line, index) => line.includes('nope') ? [index] : []);
    const report = (uri, text, version) => ({
      uri, version,
      diagnostics: linesOf(text).map((line) => ({
        severity: 1, message: 'nope is wrong', range: { start: { line, character: 0 }, end: { line, character: 1 } } })),
    });
    const push = (...given) => connection.sendNotification('textDocument/publishDiagnostics', report(...given));
    // In one write: no pause of the machine may come between the parts.
    const frame = (...given) => {
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'textDocument/publishDiagnostics', params: report(...given) });
      return 'Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body;
    };
    const opened = new Promise((resolve) => {
      if (gate === '' || existsSync(gate)) return resolve();
      const watcher = watch(dirname(gate), () => existsSync(gate) && (watcher.close(), resolve()));
      if (existsSync(gate)) resolve();
    });
    connection.onRequest('initialize', async () => {
      await opened;
      const commands = way === 'tsserver' ? ['typescript.tsserverRequest'] : [];
      return { capabilities: { executeCommandProvider: { commands } } };
    });
    const change = (uri, version, text) => {
      const earlier = texts.get(uri);
      texts.set(uri, text);
      if (way === 'numbered') push(uri, text, version);
      if (way !== 'in parts') return;
      process.stdout.write(frame(uri, earlier) + frame(uri, text));
    };
    connection.onNotification('textDocument/didOpen', ({ textDocument: { uri, version, text } }) => change(uri, version, text));
    connection.onNotification('textDocument/didChange', ({ textDocument: { uri, version }, contentChanges }) =>
      change(uri, version, contentChanges[0].text));
    connection.onRequest('workspace/executeCommand', ({ arguments: [name, { file }] }) => ({
      body: name === 'syntacticDiagnosticsSync' ? [] : linesOf(texts.get(file)).map((line) => ({
        category: 'error', code: 7, text: 'nope is wrong', start: { line: line + 1, offset: 1 } })),
    }));
    connection.listen();
  `;
  return { scripted: { command: process.execPath, args: ['-e', script], extensions: ['.json'] } };
}
