import { describe, expect, it } from 'vitest';
import { migrateSettings } from './migrate-settings.ts';

type Values = Record<string, unknown>;

describe('settings that have moved', () => {
  const CASES: [string, Values, Values][] = [
    ['disableAutoUpdate', { general: { disableAutoUpdate: true } }, { general: { enableAutoUpdate: false } }],
    ['disableUpdateNag', { general: { disableUpdateNag: false } }, { general: { enableAutoUpdateNotification: true } }],
    [
      'disableLoadingPhrases, off',
      { ui: { accessibility: { disableLoadingPhrases: true } } },
      { ui: { accessibility: { enableLoadingPhrases: false }, loadingPhrases: 'off' } },
    ],
    [
      'disableLoadingPhrases, on',
      { ui: { accessibility: { disableLoadingPhrases: false } } },
      { ui: { accessibility: { enableLoadingPhrases: true } } },
    ],
    [
      'enableLoadingPhrases beside loadingPhrases',
      { ui: { accessibility: { enableLoadingPhrases: false }, loadingPhrases: 'witty' } },
      { ui: { accessibility: { enableLoadingPhrases: false }, loadingPhrases: 'witty' } },
    ],
    [
      'disableFuzzySearch',
      { context: { fileFiltering: { disableFuzzySearch: true } } },
      { context: { fileFiltering: { enableFuzzySearch: false } } },
    ],
    ['approvalMode', { tools: { approvalMode: 'plan' } }, { tools: {}, general: { defaultApprovalMode: 'plan' } }],
    ['plan', { experimental: { plan: false } }, { experimental: {}, general: { plan: { enabled: false } } }],
    [
      'codebaseInvestigatorSettings',
      {
        experimental: {
          codebaseInvestigatorSettings: {
            enabled: true,
            maxNumTurns: 5,
            maxTimeMinutes: 3,
            thinkingBudget: 100,
            model: 'pro',
          },
        },
      },
      {
        experimental: {},
        agents: {
          overrides: {
            codebase_investigator: {
              enabled: true,
              runConfig: { maxTurns: 5, maxTimeMinutes: 3 },
              modelConfig: { model: 'pro', generateContentConfig: { thinkingConfig: { thinkingBudget: 100 } } },
            },
          },
        },
      },
    ],
    [
      'codebaseInvestigatorSettings under what is there',
      {
        experimental: { codebaseInvestigatorSettings: { enabled: true, maxNumTurns: 5, model: 'auto' } },
        agents: { overrides: { codebase_investigator: { enabled: false, runConfig: { maxTimeMinutes: 1 } } } },
      },
      {
        experimental: {},
        agents: {
          overrides: { codebase_investigator: { enabled: false, runConfig: { maxTurns: 5, maxTimeMinutes: 1 } } },
        },
      },
    ],
    [
      'cliHelpAgentSettings',
      { experimental: { cliHelpAgentSettings: { enabled: false } } },
      { experimental: {}, agents: { overrides: { cli_help: { enabled: false } } } },
    ],
    ['an unreadable value', { general: { disableAutoUpdate: 'x' } }, { general: { disableAutoUpdate: 'x' } }],
    [
      'an old place beside the new one',
      { general: { disableAutoUpdate: true, enableAutoUpdate: true } },
      { general: { enableAutoUpdate: true } },
    ],
    ['the flat layout', { theme: 'x', autoAccept: true }, { theme: 'x', autoAccept: true }],
  ];

  it.each(CASES)('%s', (_title, before, after) => {
    const input = structuredClone(before);
    const { values } = migrateSettings(input);
    expect(values).toEqual(after);
    expect(input).toEqual(before);
    expect(migrateSettings(values)).toEqual({ values: after, edits: [] });
  });
});
