/** Asks the user the questions of a transcript, with the app's screen, settings and styles. */

import type { App } from './app.ts';
import { approvalChoices } from './approval-choices.ts';
import type { ServerTool } from '../dialogs/approval.ts';
import { Questions } from '../conversation/questions.ts';
import { withTilde } from '../text/with-tilde.ts';

export function createAppQuestions(app: App): Questions {
  const { terminal } = app.options;
  return new Questions({
    host: app.dialogs,
    agent: () => app.link.current(),
    printPlan: (path) => printPlan(app, path),
    editorDiffs: () => (app.companion?.companion.canDiff ? app.companion.companion : undefined),
    onAsked: (what) => app.onAttention?.(what),
    onFeedback: (feedback) => {
      app.state.feedback = [...app.state.feedback, feedback];
    },
    onProblem: (message) => app.fail(message),
    approval: () => ({
      ...approvalChoices(app.state.start),
      hasEditor: true,
      serverTools: (server) => serverTools(app, server),
      folder: app.folder,
      grammars: () => app.grammars,
      relative: (path) => withTilde(relativeTo(app.options.cwd, path), app.options.home),
      print: (rows) => app.print(rows(app.appearance.styles, app.width)),
      height: terminal.size.rows,
      width: terminal.size.columns,
      styles: app.appearance.styles,
    }),
  });
}

async function printPlan(app: App, path: string): Promise<string> {
  const { readPlan } = await import('../conversation/read-plan.ts');
  const { styles } = app.appearance;
  const { rows, facts } = await readPlan(path, { styles, width: () => app.width, isSpoken: app.isSpoken });
  app.print(['', ...rows]);
  return facts;
}

function serverTools({ state }: App, name: string): ServerTool[] {
  const tools = state.agent?.tools.list() ?? [];
  return tools.flatMap(({ server }) =>
    server?.name === name ? [{ name: server.tool, annotations: server.annotations }] : [],
  );
}

/** A path outside stays whole. */
function relativeTo(folder: string, path: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
