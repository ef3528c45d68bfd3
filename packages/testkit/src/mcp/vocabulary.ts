/** The words of MCP scripts, as tests import them: `mcp.on('tools/call', [mcp.crash()])`. */

export * from './actions.ts';
export * from './content.ts';
export * from './odd-tools.ts';
export { STDIO_FAULTS, withFault } from './stdio-faults.ts';
