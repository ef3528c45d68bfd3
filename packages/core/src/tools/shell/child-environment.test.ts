import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createChildEnvironment, isLoaderVariable } from './child-environment.ts';

describe('createChildEnvironment', () => {
  it('drops our keys by name, in any case, and by value, under any name', () => {
    const environment = createChildEnvironment({
      base: {
        PATH: '/bin',
        GEMINI_API_KEY: 'AIza-secret-1',
        google_api_key: 'AIza-secret-2',
        MY_COPY: 'AIza-secret-3',
        CURL_HEADER: 'x-goog-api-key: AIza-secret-3',
        CORPORATE_TOKEN: 'token',
        GOOGLE_APPLICATION_CREDENTIALS: '/home/me/key.json',
        AWS_SECRET_ACCESS_KEY: 'not ours',
      },
      secretNames: ['CORPORATE_TOKEN'],
      secretValues: ['AIza-secret-3', ''],
    });
    expect(
      Object.keys(environment).filter(
        (name) => /key|token|copy|header|credential/i.test(name) && !name.startsWith('GIT_'),
      ),
    ).toEqual(['GOOGLE_APPLICATION_CREDENTIALS', 'AWS_SECRET_ACCESS_KEY']);
  });

  it('takes harmless variables from the project and never loader variables', () => {
    const project = {
      DATABASE_URL: 'postgres://localhost',
      NODE_ENV: 'test',
      LD_PRELOAD: '/ws/evil.so',
      NODE_OPTIONS: '--require /ws/evil.js',
      GIT_SSH_COMMAND: '/ws/evil',
      GIT_EXEC_PATH: '/ws',
      BASH_ENV: '/ws/evil.sh',
      'BASH_FUNC_ls%%': '() { evil; }',
      PATH: '/ws/bin',
      ld_library_path: '/ws',
    };
    const environment = createChildEnvironment({ base: { PATH: '/bin' }, project });
    const taken = Object.keys(project).filter((name) => environment[name] !== undefined);
    expect({ taken, path: environment['PATH'] }).toEqual({
      taken: ['DATABASE_URL', 'NODE_ENV', 'PATH'],
      path: '/bin',
    });
  });

  it('lets the own environment win over the project', () => {
    expect(createChildEnvironment({ base: { COLOR: 'mine' }, project: { COLOR: 'theirs' } })['COLOR']).toBe('mine');
  });

  it('turns pagers, editors and prompts off', () => {
    const environment = createChildEnvironment({ base: { PAGER: 'less', EDITOR: 'vim', GIT_EDITOR: 'vim' } });
    const { GEMINI_CLI, TERM, PAGER, GIT_PAGER, EDITOR, GIT_EDITOR, GIT_TERMINAL_PROMPT } = environment;
    expect({ GEMINI_CLI, TERM, PAGER, GIT_PAGER, EDITOR, GIT_EDITOR, GIT_TERMINAL_PROMPT }).toEqual({
      GEMINI_CLI: '1',
      TERM: 'xterm-256color',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      EDITOR: 'true',
      GIT_EDITOR: ':',
      GIT_TERMINAL_PROMPT: '0',
    });
  });

  it('does not pass on the mark of a call it was itself started in', () => {
    expect(createChildEnvironment({ base: { CASTOR_CALL: 'outer.1' } })['CASTOR_CALL']).toBeUndefined();
  });

  it('adds git settings after those that are there already, as git reads them', () => {
    const environment = createChildEnvironment({
      base: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'user.name',
        GIT_CONFIG_VALUE_0: 'me',
      },
    });
    const read = (key: string) =>
      execFileSync('git', ['config', key], { env: environment, cwd: '/', encoding: 'utf8' });
    expect([read('user.name'), read('core.fsmonitor')]).toEqual(['me\n', 'false\n']);
  });
});

describe('isLoaderVariable', () => {
  it.each([
    'LD_PRELOAD',
    'DYLD_INSERT_LIBRARIES',
    'PYTHONSTARTUP',
    'PERL5OPT',
    'RUBYOPT',
    'JAVA_TOOL_OPTIONS',
    'GIT_CONFIG_COUNT',
    'npm_config_script_shell',
    'GEMINI_CLI_HOME',
  ])('is true for %s', (name) => {
    expect(isLoaderVariable(name)).toBe(true);
  });

  it.each(['PORT', 'DEBUG', 'NODE_ENV', 'DATABASE_URL', 'LDAP_HOST'])('is false for %s', (name) => {
    expect(isLoaderVariable(name)).toBe(false);
  });
});
