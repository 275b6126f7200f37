import { isObject, isStringArray } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { isRunnerName, readRunner } from '../model/runner/runner.ts'
import type { EngineOptions, Runner, RunnerTemplate } from '../model/runner/runner.ts'

/** The person's runners: the rule for servers of projects, what engines need on this machine, and argv templates. */
export interface RunnerSettings {
  /** Every server that a project declares runs in this, or in something narrower. */
  readonly project?: Runner
  readonly engines: Readonly<Partial<Record<'podman' | 'docker', EngineOptions>>>
  readonly templates: Readonly<Record<string, RunnerTemplate>>
  /** The rule could not be read: no server of a project is started. */
  readonly isDamaged?: true
}

type Refuse = (path: readonly string[], message: string) => void

export function readRunnerSettings(value: Json, refuse: Refuse): RunnerSettings {
  const engines: Partial<Record<'podman' | 'docker', EngineOptions>> = {}
  const templates: Record<string, RunnerTemplate> = {}
  if (!isObject(value)) {
    refuse([], 'must be an object; no server of a project is started.')
    return { engines, templates, isDamaged: true }
  }
  let rule: Pick<RunnerSettings, 'project' | 'isDamaged'> = {}
  for (const [name, each] of Object.entries(value)) {
    if (name === 'project') {
      const runner = readRunner(each)
      if ('problem' in runner) {
        refuse([name], `${runner.problem} No server of a project is started.`)
        rule = { isDamaged: true }
      } else rule = { project: runner }
    } else if (name === 'podman' || name === 'docker') {
      const options = readEngine(each)
      if (options) engines[name] = options
      else refuse([name], 'must be an object with the lists "engine" and "run"; it is ignored.')
    } else {
      const template =
        isRunnerName(name) && name !== 'bwrap' ? readTemplate(each) : 'is not a name for a runner.'
      if (typeof template === 'string') refuse([name], template)
      else templates[name] = template
    }
  }
  return { ...rule, engines, templates }
}

function readEngine(value: Json): EngineOptions | undefined {
  if (!isObject(value)) return undefined
  const { engine = [], run = [], ...rest } = value
  if (!isStringArray(engine) || !isStringArray(run) || Object.keys(rest).length > 0) return undefined
  return { engine, run }
}

function readTemplate(value: Json): RunnerTemplate | string {
  const fields = Array.isArray(value) ? { argv: value } : value
  const { argv, env = 'none' } = isObject(fields) ? fields : {}
  if (
    !isStringArray(argv) ||
    argv.filter((word) => word === '{command}').length !== 1 ||
    argv[0] === '{command}'
  )
    return 'must be a list of words, one of them "{command}", after the program of the runner.'
  if (env !== 'none' && env !== 'process') return '"env" must be "none" or "process".'
  return { argv, env }
}
