import { join } from 'node:path'
import { hashOf } from '../../model/canonical.ts'
import type { Server } from '../../model/server.ts'
import type { ProjectFolder } from '../../sources/project-folder.ts'
import { stateDirectory } from '../own-directories.ts'
import { findForeignAccess } from '../private-file-checks.ts'
import type { ResolveContext } from './resolve-context.ts'

/** The input with which a person allows a server of theirs to run programs of the project. */
export const projectProgramsInput = 'project-programs'

interface ProjectPrograms {
  readonly server: Server
  readonly project: ProjectFolder
  /** What it would run. */
  readonly sentence: string
}

/**
 * T130: whether a person allows a server of theirs to run what the project says. Asked once for each entry and project: a
 * yes is kept as an empty file that is named by a hash of both, so another entry or project is another question.
 */
export async function isAllowedHere(
  { server, project, sentence }: ProjectPrograms,
  context: ResolveContext,
): Promise<boolean> {
  const { answers, platform, world } = context
  const { files } = platform
  const declared = server.declared.map(({ origin, entry }) => ({ file: origin.file, entry }))
  const key = hashOf({ name: server.name, declared, roots: project.roots, sentence }).replace(/^.*:/, '')
  const folder = join(stateDirectory(world), 'project-programs')
  const file = join(folder, key)
  const isOurs = !(await findForeignAccess(file, { ...platform, os: world.os }))
  if (isOurs && (await files.stat(file))?.kind === 'file') return true
  const answer =
    typeof answers === 'function'
      ? await answers(server, {
          id: projectProgramsInput,
          question: `${sentence}. Run it in ${project.roots[0] ?? world.cwd} with what "${server.name}" gets?`,
          choices: ['no', 'yes'],
        })
      : Object.hasOwn(answers, projectProgramsInput)
        ? answers[projectProgramsInput]
        : undefined
  if (answer !== 'yes') return false
  await files.makePrivateDirectory(folder)
  await files.replace(file, '', { mode: 0o600 })
  return true
}
