import { believePlatform, readSettings } from '../../../../internal.ts'
import { reportFindings } from '../../../facts/findings/finding-facts.ts'
import { withoutFindingTexts } from '../../../facts/findings/withheld-texts.ts'
import type { Cli } from '../../command-context.ts'
import type { Examination } from './examine-server.ts'

/** Adds what the scanner finds in the declarations and offers of all these servers, each finding to its server. */
export async function withFindings(
  found: readonly Examination[],
  { isWithheld, platform }: { readonly isWithheld: boolean; readonly platform?: Cli['platform'] },
): Promise<readonly Examination[]> {
  const { settings } = await readSettings((await believePlatform({ ...platform })).platform)
  const { findings } = reportFindings(
    found.flatMap(({ explanation }) => explanation.winner ?? []),
    found.flatMap(({ offers }) => offers ?? []),
    {
      ignore: settings.scan?.ignore,
      labels: settings.labels,
      today: new Date().toISOString().slice(0, 10),
    },
  )
  return found.map((each) => {
    const own = findings.filter(({ subject }) => subject.server === each.explanation.name)
    if (own.length === 0) return each
    return { ...each, findings: isWithheld ? own.map(withoutFindingTexts) : own }
  })
}
