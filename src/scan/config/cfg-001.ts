import type { ConfigRule } from './config-rule.ts'
import { inlineCode } from '../../model/launch/launched-programs.ts'

export const inlineProgram: ConfigRule = {
  id: 'CFG-001',
  severity: 'medium',
  title: 'Interpreter with a program in the entry',
  reason: 'A text for an interpreter can do anything and hides what really runs.',
  remedy: 'Start the program itself, or put the text into a script that can be read and pinned.',
  hits: [
    { command: 'bash', args: ['-c', 'node server.js'] },
    { command: 'env', args: ['A=1', 'sh', '-ec', 'run'] },
    { command: 'node', args: ['--eval', 'start()'] },
  ],
  misses: [
    { command: 'node', args: ['server.js', '-e', 'production'] },
    { command: 'python3', args: ['-m', 'server', '-c', 'config.toml'] },
    { command: 'bash', args: ['start.sh'] },
  ],
  find: (server) => {
    const found = inlineCode(server)
    if (!found) return []
    const message = `${found.interpreter} runs a text of the entry (${found.flag}).`
    return [{ severity: 'medium', pointer: `/args/${found.index}`, message, evidence: found.code }]
  },
}
