/** A process that records connections: as many as its second word says, or without end, telling each on stdout. */

import { Audit } from './open-audit.ts';
import { admitOutgoing } from '../util/outgoing.ts';

const [home = '', count = '0'] = process.argv.slice(2);
const audit = new Audit({ home, onProblem: (message) => process.stderr.write(`${message}\n`) });
const last = count === 'endless' ? Number.POSITIVE_INFINITY : Number(count);
for (let index = 1; index <= last; index++) {
  admitOutgoing({ host: `${process.pid}.example`, port: index, why: 'model request' });
  if (index % 5 === 0) {
    await audit.settled();
    process.stdout.write(`${index}\n`);
  }
}
await audit.close();
