/**
 * A scripted MCP server over HTTP as a program, for a bench or by hand: `node http-main.ts <script.json or script.ts>`
 * prints the addresses of both transports as one line of JSON and serves until a signal ends it.
 */

import { resolve } from 'node:path';
import { mcpServer } from './http-server.ts';
import { loadScript } from './load-script.ts';

const [, , path = process.env['CASTOR_MCP_SCRIPT']] = process.argv;
if (path === undefined) throw new Error('The path of the script is missing: node http-main.ts <script>.');
const { url, sseUrl } = await mcpServer(await loadScript(resolve(path)));
process.stdout.write(`${JSON.stringify({ url, sseUrl })}\n`);
