/**
 * T51: how each program that looks other programs up leaves the project out. Found out by running them in a hostile
 * folder; decision 030 has the results.
 */
export interface Runner {
  /** Its name without folder and extension. */
  readonly program: RegExp
  /** The row applies only if the first word that is no option matches. */
  readonly verb?: RegExp
  /** The row applies only if the first operand, after `run`, matches. */
  readonly script?: RegExp
  /** The row applies only if one of the options matches. */
  readonly option?: RegExp
  /** An option that names the folder to work in. If that is outside the project, nothing is changed. */
  readonly folder?: RegExp
  readonly means: Means
}

export type Means =
  /**
   * Arguments inserted before all others or after the verb, and variables. `{empty}` stands for our empty folder,
   * `{cwd}` for the working directory.
   */
  | {
      readonly kind: 'changed'
      readonly before?: readonly string[]
      readonly afterVerb?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      /** Started in the empty folder; its shell returns to the working directory (`{empty}/shell`). */
      readonly startsEmpty?: true
      /** Arguments with which the program must end with success; older versions do not know the means. */
      readonly probe?: { readonly args: readonly string[]; readonly needs: string }
      /** Its first operand is a package: a path of the project is refused, a name that only the project has is explained. */
      readonly runsPackage?: true
    }
  /** It has no means. `uses`: only if the project has one of these. */
  | {
      readonly kind: 'refused'
      readonly why: string
      readonly write: string
      readonly uses?: readonly string[]
    }

const fullPath = 'the full path of a program outside the project'
const javascript = ['node_modules', 'package.json', '.npmrc']

/** The first row that applies counts. */
export const runners: readonly Runner[] = [
  {
    program: /^npx$/,
    means: {
      kind: 'changed',
      startsEmpty: true,
      runsPackage: true,
      env: { npm_config_script_shell: '{empty}/shell', PLUGBOARD_CWD: '{cwd}' },
    },
  },
  {
    program: /^npm$/,
    verb: /^(?:exec|x)$/,
    means: {
      kind: 'changed',
      startsEmpty: true,
      runsPackage: true,
      env: { npm_config_script_shell: '{empty}/shell', PLUGBOARD_CWD: '{cwd}' },
    },
  },
  {
    program: /^npm$/,
    folder: /^(?:--prefix|-C)$/,
    means: {
      kind: 'refused',
      why: 'runs the scripts of the project',
      write: '"npm --prefix FOLDER" with a folder outside the project',
    },
  },
  {
    program: /^pnpm$/,
    verb: /^dlx$/,
    means: { kind: 'changed', before: ['-C', '{empty}'], runsPackage: true },
  },
  { program: /^pnpx$/, means: { kind: 'changed', before: ['-C', '{empty}'], runsPackage: true } },
  {
    program: /^pnpm$/,
    folder: /^(?:--dir|-C)$/,
    means: {
      kind: 'refused',
      why: 'runs programs and scripts of the project',
      write: '"pnpm dlx PACKAGE", or "pnpm -C FOLDER" with a folder outside the project',
    },
  },
  {
    program: /^yarn$/,
    verb: /^dlx$/,
    means: {
      kind: 'changed',
      env: { YARN_IGNORE_PATH: '1', YARN_RC_FILENAME: '.plugboard-reads-no-yarnrc.yml' },
      runsPackage: true,
    },
  },
  {
    program: /^yarn(?:pkg)?$/,
    folder: /^--cwd$/,
    means: { kind: 'refused', why: 'runs programs and scripts of the project', write: '"yarn dlx PACKAGE"' },
  },
  {
    program: /^bunx$/,
    folder: /^--cwd$/,
    means: {
      kind: 'refused',
      why: 'takes programs from the project’s node_modules, and no option of it prevents that',
      write: '"npx" or "pnpm dlx" instead',
      uses: [...javascript, 'bunfig.toml'],
    },
  },
  {
    program: /^bun$/,
    verb: /^x$/,
    folder: /^--cwd$/,
    means: {
      kind: 'refused',
      why: 'takes programs from the project’s node_modules, and no option of it prevents that',
      write: '"npx" or "pnpm dlx" instead',
      uses: [...javascript, 'bunfig.toml'],
    },
  },
  {
    program: /^bun$/,
    folder: /^--cwd$/,
    option: /^(?:-r|--preload|--require|--import)$/,
    means: { kind: 'refused', why: 'takes the modules of its options from the project', write: fullPath },
  },
  {
    program: /^bun$/,
    folder: /^--cwd$/,
    script: /^[^./\\]+$/,
    means: { kind: 'refused', why: 'takes scripts and programs from the project', write: fullPath },
  },
  {
    program: /^bun$/,
    folder: /^--cwd$/,
    means: { kind: 'changed', before: ['--config={empty}/bunfig.toml', '--env-file={empty}/env'] },
  },
  {
    program: /^deno$/,
    verb: /^(?:run|serve)$/,
    means: {
      kind: 'changed',
      afterVerb: ['--no-config', '--node-modules-dir=none'],
      env: { DENO_NO_PACKAGE_JSON: '1' },
    },
  },
  {
    program: /^deno$/,
    means: {
      kind: 'refused',
      why: 'reads the project’s deno.json and package.json',
      write: '"deno run", which can leave them out',
      uses: ['deno.json', 'deno.jsonc', ...javascript],
    },
  },
  {
    program: /^uv$/,
    verb: /^run$/,
    folder: /^(?:--directory|--project)$/,
    means: {
      kind: 'changed',
      afterVerb: ['--no-project', '--no-config', '--isolated'],
      env: { PYTHONSAFEPATH: '1' },
    },
  },
  // Tools of uv ignore the project's files; only a module that they are told to run would be found there.
  { program: /^uvx?$/, option: /^-m$/, means: { kind: 'changed', env: { PYTHONSAFEPATH: '1' } } },
  {
    program: /^(?:python[\d.]*|pypy[\d.]*|py)$/,
    option: /^-[A-Za-z]*[mc]|^-$/,
    means: {
      kind: 'changed',
      before: ['-P'],
      probe: { args: ['-P', '-c', ''], needs: 'Python 3.11 or later' },
    },
  },
  {
    program: /^pipx$/,
    verb: /^run$/,
    means: {
      kind: 'refused',
      why: 'takes programs from the project’s __pypackages__',
      write: '"uvx" instead',
      uses: ['__pypackages__'],
    },
  },
]

/** Options of Node.js that load a module by name, which is looked up in the working directory. */
export const nodeLoaders = /^(?:-r|--require|--import|--loader|--experimental-loader)$/

/** Programs whose argument is a text that we do not read; a runner in it would find the project. */
export const shells = /^(?:sh|bash|zsh|dash|fish|ksh|pwsh|powershell)$/
export const runnerInText =
  /(?:^|[\s;&|(])(?:npx|bunx|pnpx|pnpm|yarn|bun|deno|npm|pipx|uv|python[\d.]*\s+-m)(?=\s|$)/

/** Texts for `{empty}/shell`: returns to the working directory for the program itself, not for install scripts. */
export const shellText = `#!/bin/sh
if [ "$npm_lifecycle_event" = npx ] && [ -n "$PLUGBOARD_CWD" ]; then
  cd "$PLUGBOARD_CWD" || exit 127
  INIT_CWD="$PLUGBOARD_CWD"
  export INIT_CWD
  unset PLUGBOARD_CWD npm_config_script_shell
fi
exec /bin/sh "$@"
`
