/** A process that installs or updates the extension of a source, to be killed: `<home> <cwd> <source> <install|update>`. */

import { openManager } from './manager.fixture.ts';

const [home = '', project = '', source = '', what] = process.argv.slice(2);
const { manager, extension } = openManager({ home, project });
const { signal } = new AbortController();
if (what === 'install') await manager.install({ source }, signal);
else await manager.update(extension()!, signal);
