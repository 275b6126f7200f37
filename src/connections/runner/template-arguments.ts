import type { RunnerTemplate } from '../../model/runner/runner.ts'

interface TemplateValues {
  readonly server: string
  readonly cwd: string
  readonly command: readonly string[]
}

/** The argv of a runner of the person's settings, around a command. */
export function templateArguments(
  { argv }: RunnerTemplate,
  { server, cwd, command }: TemplateValues,
): readonly string[] {
  return argv.flatMap((word) =>
    word === '{command}'
      ? command
      : [word.replaceAll(/\{name\}|\{cwd\}/g, (key) => (key === '{cwd}' ? cwd : nameFor(server)))],
  )
}

/** A name that engines accept for a container or a pod. */
function nameFor(server: string): string {
  const plain = server.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return plain.replaceAll(/^-|-$/g, '').slice(0, 40) || 'server'
}
