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
  /** The row applies only if one of its options matches. */
  readonly option?: RegExp
  /** An option that names the folder to work in. If that is outside the project, nothing is changed. */
  readonly folder?: RegExp
  /** Variables that are set also if it works outside the project. */
  readonly env?: Readonly<Record<string, string>>
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
      /** Arguments with which the program must end with success, and what it must print; older versions do not know the means. */
      readonly probe?: { readonly args: readonly string[]; readonly prints?: RegExp; readonly needs: string }
      /** Its first operand is a package: a path of the project is refused, a name that only the project has is explained. */
      readonly runsPackage?: true
      /** It prefers a file or folder of the working directory with the name of its operand; that is refused. */
      readonly prefersFiles?: true
    }
  /** It has no means. `uses`: only if the project has one of these; `{operand}` is the program it is told to run. */
  | {
      readonly kind: 'refused'
      readonly why: string
      readonly write: string
      readonly uses?: readonly string[]
    }
  /** Its words do not say what it runs: a person decides once for each project that has one of the files. */
  | { readonly kind: 'asked'; readonly why: string; readonly uses: readonly string[] }

const fullPath = 'the full path of a program outside the project'
const javascript = ['node_modules', 'package.json', '.npmrc']

/** `pnpm` and `yarn` may be Corepack, which runs the package manager that a `package.json` names, with a `.corepack.env`. */
const corepack = { COREPACK_ENABLE_PROJECT_SPEC: '0', COREPACK_ENV_FILE: '0' }

const noMeansOfBun: Means = {
  kind: 'refused',
  why: 'takes programs from the project’s node_modules, and no option of it prevents that',
  write: '"npx" or "pnpm dlx" instead',
  uses: [...javascript, 'bunfig.toml'],
}

const makefiles = ['GNUmakefile', 'makefile', 'Makefile']
const justfiles = ['justfile', 'Justfile', '.justfile']
const rakefiles = ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb']

/** Files that name the commands of build programs. */
export const buildFiles: readonly string[] = [...makefiles, ...justfiles, ...rakefiles]

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
    means: { kind: 'changed', before: ['-C', '{empty}'], env: corepack, runsPackage: true },
  },
  {
    program: /^pnpx$/,
    means: { kind: 'changed', before: ['-C', '{empty}'], env: corepack, runsPackage: true },
  },
  {
    program: /^pnpm$/,
    folder: /^(?:--dir|-C)$/,
    env: corepack,
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
      env: { ...corepack, YARN_IGNORE_PATH: '1', YARN_RC_FILENAME: '.plugboard-reads-no-yarnrc.yml' },
      runsPackage: true,
      // Yarn 1 has no such verb: it would run a script of that name.
      probe: { args: ['--version'], prints: /^([2-9]|\d\d)/, needs: 'Yarn 2 or later' },
    },
  },
  {
    program: /^yarn(?:pkg)?$/,
    folder: /^--cwd$/,
    env: corepack,
    means: { kind: 'refused', why: 'runs programs and scripts of the project', write: '"yarn dlx PACKAGE"' },
  },
  {
    program: /^corepack$/,
    means: {
      kind: 'refused',
      why: 'runs the package manager that the project names',
      write: '"npx" or "pnpm dlx" instead',
      uses: ['package.json'],
    },
  },
  {
    program: /^bunx$/,
    folder: /^--cwd$/,
    means: noMeansOfBun,
  },
  {
    program: /^bun$/,
    verb: /^x$/,
    folder: /^--cwd$/,
    means: noMeansOfBun,
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
      prefersFiles: true,
    },
  },
  // Tools of uv ignore the project's files; only a module that they are told to run would be found there.
  { program: /^uvx?$/, option: /^-m$/, means: { kind: 'changed', env: { PYTHONSAFEPATH: '1' } } },
  {
    program: /^(?:(?:python|pypy)[\w.-]*|py)$/,
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
      why: 'takes a file of the project, or a program from its __pypackages__',
      write: '"uvx" instead',
      uses: ['__pypackages__', '{operand}'],
    },
  },
  {
    program: /^[gb]?make$/,
    folder: /^(?:-C|-f|--directory|--file|--makefile)$/,
    means: { kind: 'asked', why: 'runs what the project’s Makefile says', uses: makefiles },
  },
  {
    program: /^just$/,
    folder: /^(?:-f|--justfile)$/,
    means: { kind: 'asked', why: 'runs what the project’s justfile says', uses: justfiles },
  },
  {
    program: /^rake$/,
    folder: /^(?:-C|-f|--directory|--rakefile)$/,
    means: { kind: 'asked', why: 'runs what the project’s Rakefile says', uses: rakefiles },
  },
]

/** T130: a text in which one of these is at the start of a command is asked about like the program itself. */
export const buildInText =
  /(?:^|[;&|({`]|\b(?:exec|then|do|else|time|nice|env)\s)\s*(?:\w+=\S*\s+)*(?:[gb]?make|just|rake)(?=[\s;&|]|$)/

/** Options of Node.js that load a module by name, which is looked up in the working directory. */
export const nodeLoaders = /^(?:-r|--require|--import|--loader|--experimental-loader)$/

/** Options of Node.js whose value is code, which loads modules from the working directory. */
export const nodeCode = /^(?:-e|--eval|-p|--print|-pe)$/

/** Programs whose argument is a text that we do not parse; a runner or a relative path in it would find the project. */
export const shells = /^(?:(?:ba|z|da|fi|[acokm]|tc)?sh|busybox|pwsh|powershell)$/
const startOfCommand = '(?:^|[\\s;&|(){}`"\'/])'
const options = '\\s+(?:-\\S+\\s+(?:[\\w:.=]+\\s+)?)*'
export const projectInText = new RegExp(
  [
    `${startOfCommand}(?:npx|bunx|pnpx|pnpm|yarn|bun|deno|npm|pipx|uv|corepack)(?=[\\s"']|$)`,
    `${startOfCommand}(?:python|pypy)[\\d.]*${options}-[A-Za-z]*[mc]`,
    `${startOfCommand}node(?:js)?${options}(?:-[rep]|--(?:require|import|loader|experimental[-_]loader|eval|print|run|env[-_]file))`,
    '(?:^|[;&|({`]|\\b(?:exec|source)\\s|(?:^|[;&|])\\s*\\.\\s)\\s*["\']?(?:\\.{1,2}/|node_modules/)',
  ].join('|'),
)
/** The absolute folder that a text changes to before anything else. */
export const changesFolder = /^\s*cd\s+(["']?)(\/[^"'$`;&|*?]*?)\1\s*&&/

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

/** Text for `{empty}/enter`: a program behind a wrapper starts in our folder; `shellText` returns to the wrapper's. */
export const enterText = `#!/bin/sh
PLUGBOARD_CWD=$PWD
npm_config_script_shell=\${0%/*}/shell
export PLUGBOARD_CWD npm_config_script_shell
cd "\${0%/*}" || exit 127
exec "$@"
`
