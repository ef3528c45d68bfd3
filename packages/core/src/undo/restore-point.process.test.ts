/** Restore points: Castor's own by undo, and those of Gemini CLI from its shadow repository, without a clean. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restorePoint } from './restore-point.ts';
import { listRestorePoints, readRestorePoint, writeRestorePoint } from './restore-points.ts';
import { UndoTrial } from './undo.fixture.ts';

const HISTORY = [{ role: 'user', parts: [{ text: 'Change it.' }] }];

async function optionsOf(trial: UndoTrial) {
  const directory = join(trial.folder, 'home/.gemini/tmp/slug');
  mkdirSync(directory, { recursive: true });
  return {
    home: join(trial.folder, 'home'),
    directory,
    sessionId: trial.sessionId,
    desk: trial.desk,
    client: await trial.undo.use(),
    record: (each: object) => trial.recorder.workspace(each),
    path: process.env['PATH'] ?? '',
    history: [],
    openOther: () => Promise.reject(new Error('There is no other session.')),
  };
}

describe('a restore point', () => {
  it('of Castor brings back the files from before its call, commands included', async () => {
    await using trial = new UndoTrial();
    trial.write('a.ts', 'one\n');
    await trial.begin();
    const before = trial.tree();
    const options = await optionsOf(trial);
    const callId = await trial.edit('a.ts', 'two\n');
    const name = writeRestorePoint(options.directory, {
      time: Date.parse('2026-08-21T10:00:00.000Z'),
      toolCall: { name: 'replace', args: { file_path: '/x/a.ts' } },
      history: HISTORY,
      callId,
      sessionId: trial.sessionId,
      promptId: 'p1',
    });
    expect(name).toBe('2026-08-21T10-00-00_000Z-a.ts-replace');
    await trial.shell('echo x > made; rm a.ts');
    expect(listRestorePoints(options.directory)).toEqual([name]);
    await trial.undo.settled();
    const { history, call } = await restorePoint(name!, options);
    expect(call).toMatchObject({ name: 'replace', args: { file_path: '/x/a.ts' } });
    expect(call.callId).not.toBe(callId);
    const functionCall = { id: call.callId, name: 'replace', args: { file_path: '/x/a.ts' } };
    expect(history).toEqual([...HISTORY, { role: 'model', parts: [{ functionCall }] }]);
    expect(trial.tree()).toEqual(before);
    expect(readRestorePoint(options.directory, 'none')).toBe('File not found: none.json');
    writeFileSync(join(options.directory, 'checkpoints', 'bad.json'), '{');
    expect(readRestorePoint(options.directory, 'bad')).toMatch(/^Checkpoint file is invalid: /);
  });

  it(
    'of Castor is reached also after an undo that went further back; what is not as it was is told',
    { tags: 'wide' },
    async () => {
      await using trial = new UndoTrial();
      trial.write('a.ts', 'one\n');
      await trial.begin();
      const options = await optionsOf(trial);
      await trial.shell('echo two > a.ts; echo x > made');
      trial.prompt();
      const wanted = trial.tree();
      const callId = await trial.edit('a.ts', 'three\n');
      const point = {
        time: 0,
        toolCall: { name: 'replace', args: { file_path: 'a.ts' } },
        history: HISTORY,
        sessionId: trial.sessionId,
      };
      const name = writeRestorePoint(options.directory, { ...point, callId, promptId: 'p2' });
      await trial.undo.settled();
      await trial.back();
      await trial.back();
      expect(readFileSync(trial.path('a.ts'), 'utf8')).toBe('one\n');
      expect(await restorePoint(name!, options)).toMatchObject({ problems: [] });
      expect(trial.tree()).toEqual(wanted);
      // The other way: a redo brings the call back.
      await trial.forth();
      expect(readFileSync(trial.path('a.ts'), 'utf8')).toBe('three\n');
      await trial.undo.refresh();
      trial.write('a.ts', 'by the user\n');
      const { problems } = await restorePoint(name!, options);
      expect(problems).toEqual([expect.stringMatching(/^a\.ts: /)]);
      expect(readFileSync(trial.path('a.ts'), 'utf8')).toBe('by the user\n');
      // Undone again, and followed by another change: the earlier call is out of reach, and that is told.
      trial.write('a.ts', 'three\n');
      await trial.back({ to: '1' });
      trial.prompt();
      await trial.shell('echo new > other');
      expect((await restorePoint(name!, options)).problems).toEqual([expect.stringMatching(/^1 earlier call undone/)]);
    },
  );

  it('of Gemini CLI restores its snapshot, leaves newer files, and can be undone', async () => {
    await using trial = new UndoTrial();
    trial.write('a.ts', 'one\n');
    trial.write('run.sh', '#!/bin/sh\n', 0o755);
    await trial.begin();
    const options = await optionsOf(trial);
    const shadow = join(options.home, '.gemini/history/slug');
    mkdirSync(shadow, { recursive: true });
    const git = (...args: string[]) =>
      execFileSync(
        'git',
        [
          '--git-dir',
          join(shadow, '.git'),
          '--work-tree',
          trial.root,
          '-c',
          'user.name=n',
          '-c',
          'user.email=e@e',
          ...args,
        ],
        { encoding: 'utf8' },
      );
    execFileSync('git', ['init', '-q', shadow]);
    git('add', '.');
    git('commit', '-qm', 'Snapshot for replace');
    const commitHash = git('rev-parse', 'HEAD').trim();
    mkdirSync(join(options.directory, 'checkpoints'));
    const point = {
      history: [],
      clientHistory: HISTORY,
      toolCall: { name: 'replace', args: {} },
      commitHash,
      messageId: 'm',
    };
    writeFileSync(join(options.directory, 'checkpoints', 'theirs.json'), JSON.stringify(point));
    trial.sh('echo two > a.ts; rm run.sh; echo mine > untracked.txt');
    await trial.undo.refresh();
    const changed = trial.tree();
    expect((await restorePoint('theirs', options)).history.slice(0, 1)).toEqual(HISTORY);
    expect(readFileSync(trial.path('a.ts'), 'utf8')).toBe('one\n');
    expect(trial.tree()).toMatchObject({
      'run.sh': expect.stringMatching(/^file 755/),
      'untracked.txt': changed['untracked.txt'],
    });
    await trial.undo.refresh();
    await trial.back();
    expect(trial.tree()).toEqual(changed);
  });
});
