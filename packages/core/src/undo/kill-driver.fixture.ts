/** A program that is killed while it reads a workspace, looks after a call, or undoes one: see undo-kill.endurance.test.ts. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UndoTrial } from './undo.fixture.ts';

const [folder = '', phase = ''] = process.argv.slice(2);
const trial = new UndoTrial({ folder });

function tellParent(): void {
  writeFileSync(join(folder, 'reached'), phase);
  process.stdout.write('reached\n');
}

function change(): void {
  trial.sh(
    'for f in many/*; do echo changed >> $f; done; rm -rf gone; mkdir -p made/deep; echo x > made/deep/x; chmod 600 keep.txt',
  );
}

if (phase === 'baseline') {
  tellParent();
  await trial.begin();
} else {
  await trial.begin();
  if (phase === 'walk') {
    await trial.call(() => {
      change();
      tellParent();
    });
  } else {
    await trial.call(change);
    const preview = await trial.desk.preview({ last: 1 });
    tellParent();
    await trial.desk.apply(preview);
  }
}
process.stdout.write('ended\n');
setInterval(() => undefined, 1000);
