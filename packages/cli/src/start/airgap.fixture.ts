/** A process behind the airgap that connects and asks for names without announcing it. Prints what came of it as JSON. */

import { lookup } from 'node:dns/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { admitUrl } from '@castor/core/program';
import { enterAirgap, refusedConnections } from './airgap.ts';

const [closed = '', open = ''] = process.argv.slice(2);
enterAirgap();
admitUrl(new URL(open), 'model request');

function tell(error: unknown): string {
  const { cause, message } = error as Error & { cause?: Error };
  return cause?.message ?? message;
}

const { hostname, port } = new URL(closed);
const told = {
  socket: await new Promise((resolve) =>
    connect(Number(port), hostname).once('error', (error) => resolve(tell(error))),
  ),
  http: await new Promise((resolve) => get(closed).once('error', (error) => resolve(tell(error)))),
  fetch: await fetch(closed).then(() => 'reached', tell),
  name: await lookup('name.invalid').then(() => 'resolved', tell),
  model: await fetch(open).then((response) => response.text(), tell),
  refused: refusedConnections(),
};
process.stdout.write(JSON.stringify(told));
