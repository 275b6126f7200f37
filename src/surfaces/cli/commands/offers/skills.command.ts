import { buildCommand, buildRouteMap, loadLazily } from '../../arguments/define-command.ts'
import { offerGivenFlags, serverFlag, textFlag, viewGivenFlags } from '../../arguments/flags.ts'
import { optional, serverArgument, skillArgument, textArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { OfferFlags } from './find-offers.ts'
import type { SkillFlags, SkillReadFlags } from './skills.ts'

export const skillsCommand = buildRouteMap<'list' | 'show' | 'read', Cli>({
  defaultCommand: 'list',
  routes: {
    list: buildCommand<OfferFlags & GivenServerFlags, [string?], Cli>({
      loader: loadLazily(async () => (await import('./skills.ts')).skills),
      parameters: {
        flags: offerGivenFlags,
        positional: { kind: 'tuple', parameters: [optional(serverArgument)] },
      },
      docs: { brief: 'List the skills that servers offer' },
    }),
    show: buildCommand<SkillFlags & GivenServerFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./skills.ts')).showSkill),
      parameters: {
        flags: { ...viewGivenFlags, ...serverFlag },
        positional: { kind: 'tuple', parameters: [skillArgument] },
      },
      docs: { brief: 'Show a skill with its files, and read its SKILL.md' },
    }),
    read: buildCommand<SkillReadFlags & GivenServerFlags, [string, string?], Cli>({
      loader: loadLazily(async () => (await import('./skills.ts')).readSkill),
      parameters: {
        flags: {
          ...viewGivenFlags,
          ...serverFlag,
          output: textFlag('FILE', 'Save it as this file, which must not exist yet'),
        },
        positional: {
          kind: 'tuple',
          parameters: [skillArgument, optional(textArgument('PATH', 'the file; SKILL.md without it'))],
        },
      },
      docs: { brief: 'Read one file of a skill' },
    }),
  },
  docs: { brief: 'List the skills of servers, and read them before a model does' },
})
