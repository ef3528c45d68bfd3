/** One process that renews the sign-in of a server and prints its token's fate. For tests. */

import { systemClock } from '../../util/clock.ts';
import { toServer } from './to-server.fixture.ts';
import { SignIns } from './sign-ins.ts';

const [home = '', url = ''] = process.argv.slice(2);
const signIns = new SignIns({ home, environment: {}, clock: systemClock });
const authorization = await signIns.authorizationOf(toServer({ url }));
const headers = await authorization?.headers();
process.stdout.write(headers?.['authorization'] ?? authorization?.problem ?? 'none');
