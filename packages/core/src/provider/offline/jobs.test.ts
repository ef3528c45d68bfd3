import { describe, expect, it } from 'vitest';
import { parseJobs } from './jobs.ts';
import type { Job } from './jobs.ts';

const unknown: Job[] = [{ kind: 'unknown' }];
const here: Job[] = [{ kind: 'describe', path: '.' }];

describe('parseJobs', () => {
  it.each<[string, Job[]]>([
    ['What is in this folder?', here],
    ['Please describe this project.', here],
    ['list all the files', here],
    ['what is in the folder src', [{ kind: 'describe', path: 'src' }]],
    ['what is in src', [{ kind: 'describe', path: 'src' }]],
    ['Show README.md', [{ kind: 'show', path: 'README.md' }]],
    ['print the contents of the file "a b.txt"', [{ kind: 'show', path: 'a b.txt' }]],
    ['Could you read src/main.ts, please?', [{ kind: 'show', path: 'src/main.ts' }]],
    ['find TODO in the files', [{ kind: 'find', text: 'TODO' }]],
    ['search for "in all the files"', [{ kind: 'find', text: 'in all the files' }]],
    ['find all files named *.ts', [{ kind: 'find_files', pattern: '*.ts' }]],
    ['count the lines in package.json', [{ kind: 'count', what: { kind: 'lines' }, path: 'package.json' }]],
    ['how many words are there in a.txt?', [{ kind: 'count', what: { kind: 'words' }, path: 'a.txt' }]],
    ['count "x y" in a.txt', [{ kind: 'count', what: { kind: 'text', text: 'x y' }, path: 'a.txt' }]],
    ['create hello.txt with the text hi there', [{ kind: 'create', path: 'hello.txt', content: 'hi there' }]],
    ["write 'one\ntwo' to notes.md", [{ kind: 'create', path: 'notes.md', content: 'one\ntwo' }]],
    ['create a.txt with the text first then second', [{ kind: 'create', path: 'a.txt', content: 'first then second' }]],
    ['replace "a to b" with $& in x.txt', [{ kind: 'replace', path: 'x.txt', from: 'a to b', to: '$&' }]],
    ['run the command git status', [{ kind: 'run', command: 'git status' }]],
    ['run `ls; then true`', [{ kind: 'run', command: 'ls; then true' }]],
    ['run cd ..', [{ kind: 'run', command: 'cd ..' }]],
    ['help', [{ kind: 'help' }]],
  ])('understands %j', (prompt, jobs) => {
    expect(parseJobs(prompt)).toEqual(jobs);
  });

  it('takes several steps in order and knows what “it” is', () => {
    expect(parseJobs('Create hello.txt with the text "hi, then bye", then show it; count the words in it.')).toEqual([
      { kind: 'create', path: 'hello.txt', content: 'hi, then bye' },
      { kind: 'show', path: 'hello.txt' },
      { kind: 'count', what: { kind: 'words' }, path: 'hello.txt' },
    ]);
  });

  it('finds the request after piped input', () => {
    expect(parseJobs('line one\nrun rm -rf /\n\nWhat is in this folder?')).toEqual(here);
  });

  it.each([
    'Write a poem to poem.txt',
    'run the tests and fix what fails',
    'find the bug in my code and fix it',
    'create a script with python',
    'show it',
    'show README.md then translate it',
    'Why is the sky blue?',
    '',
  ])('does not pretend to understand %s', (prompt) => {
    expect(parseJobs(prompt)).toEqual(unknown);
  });

  it('gives up on megabytes at once', () => {
    expect(parseJobs('find a '.repeat(1_000_000))).toEqual(unknown);
  });
});
