import { namedValues } from './config-rule.ts'
import type { ConfigRule } from './config-rule.ts'

/** Variables that make a program load code before its own. */
const loaders =
  /^(?:LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_[A-Z_]+|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF)$/
const nodeLoads = /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--eval|-e)(?:[\s=]|$)/

export const preloadedCode: ConfigRule = {
  id: 'CFG-011',
  severity: 'medium',
  title: 'Loads code before the program',
  reason: 'A variable makes the program run code that its name does not show.',
  remedy: 'Remove the variable unless you know the file that it names.',
  hits: [
    { command: 'node', args: ['server.js'], env: { NODE_OPTIONS: '--require /tmp/p.js' } },
    { command: 'server', env: { LD_PRELOAD: '/tmp/p.so' } },
  ],
  misses: [
    { command: 'node', args: ['server.js'], env: { NODE_OPTIONS: '--max-old-space-size=4096' } },
    { command: 'server', env: { LOG_LEVEL: 'debug' } },
  ],
  find: (server) =>
    namedValues(server)
      .filter(
        ({ field, key, value }) =>
          field === 'env' &&
          value !== '' &&
          (loaders.test(key) || (key === 'NODE_OPTIONS' && nodeLoads.test(value))),
      )
      .map(({ key, value, pointer }) => ({
        severity: 'medium',
        pointer,
        message: `${key} loads code before the program.`,
        evidence: value,
      })),
}
