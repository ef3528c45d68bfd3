/**
 * Reads the settings of a repository as text: whether git would start a program or read other settings because of them, and
 * where its hooks are. Pure. What is not known to be harmless counts as harmful: git gets new settings that run programs.
 */

const names = (words: string) => new Set(words.split(/\s+/));

/** By section. Those of `remote`, `branch` and `submodule` are the same under every name. */
const HARMLESS: Readonly<Record<string, ReadonlySet<string>>> = {
  core: names(`repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol
    safecrlf quotepath longpaths abbrev compression bigfilethreshold sparsecheckout sparsecheckoutcone untrackedcache
    preloadindex whitespace sharedrepository checkstat trustctime`),
  remote: names(
    'url pushurl fetch push tagopt prune prunetags mirror promisor partialclonefilter skipfetchall pushdefault',
  ),
  branch: names('remote merge rebase description pushremote mergeoptions autosetupmerge autosetuprebase sort'),
  submodule: names('url active branch ignore recurse shallow fetchjobs'),
  user: names('name email signingkey useconfigonly'),
  commit: names('gpgsign verbose status cleanup'),
  tag: names('gpgsign sort forcesignannotated'),
  init: names('defaultbranch'),
  pull: names('rebase ff octopus twohead'),
  push: names('default autosetupremote followtags gpgsign recursesubmodules'),
  fetch: names('prune prunetags recursesubmodules fsckobjects writecommitgraph'),
  merge: names('conflictstyle ff renames log stat'),
  rebase: names('autostash autosquash updaterefs missingcommitscheck'),
  rerere: names('enabled autoupdate'),
  diff: names('algorithm colormoved renames mnemonicprefix noprefix context'),
  log: names('date decorate follow'),
  status: names('short branch showuntrackedfiles submodulesummary'),
  extensions: names('worktreeconfig objectformat refstorage partialclone noop preciousobjects relativeworktrees'),
  index: names('version threads sparse'),
  gc: names('auto autodetach pruneexpire reflogexpire'),
  feature: names('manyfiles'),
  lfs: names('repositoryformatversion'),
};

/** `[section]` or `[section "name"]`, with nothing behind it. */
const HEADER = /^\[\s*([a-z0-9-]+)\s*(?:"[^"\\]*"\s*)?\]$/i;
/** One setting on one line; a backslash could join it to the next. */
const SETTING = /^([a-z][a-z0-9-]*)\s*(?:=\s*([^\\]*))?$/i;
/** `ext::sh -c …`: the address of a remote can name a program. */
const TRANSPORT = /^"?\s*[a-z0-9+.-]+::/i;

/** `isSubmodule`: such a repository names the folder with its files. */
export function isHarmlessGitSettings(text: string, isSubmodule = false): boolean {
  let known: ReadonlySet<string> | undefined;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const section = HEADER.exec(line)?.[1]?.toLowerCase();
    if (section !== undefined) {
      known = Object.hasOwn(HARMLESS, section) ? HARMLESS[section] : undefined;
      if (known === undefined) return false;
      continue;
    }
    const [, name = '', value = ''] = SETTING.exec(line) ?? [];
    const key = name.toLowerCase();
    const isFolderOfSubmodule = isSubmodule && key === 'worktree' && known === HARMLESS['core'];
    if (!isFolderOfSubmodule && known?.has(key) !== true) return false;
    if (TRANSPORT.test(value)) return false;
  }
  return true;
}

/** The folder of hooks that the settings name, as they write it. */
export function hooksFolderOf(text: string): string | undefined {
  const found = /^\s*(?:\[\s*core\s*\]\s*)?hookspath\s*=\s*(.+?)\s*$/im.exec(text)?.[1];
  return found?.replace(/^"(.*)"$/, '$1');
}
