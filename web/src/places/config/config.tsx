import type { RouteAnswer } from '../../../../src/client.ts'
import type { PlaceProps } from '../../app.tsx'
import { ErrorLine, Loading } from '../../parts/messages.tsx'
import { Split } from '../../parts/split.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import '../../style/config.css'
import { ConfigFileText } from './config-file-text.tsx'
import { ConfigList } from './config-list.tsx'
import { ConfigProblems } from './config-problems.tsx'
import { ConfigSettings } from './config-settings.tsx'
import { ConfigSources } from './config-sources.tsx'
import { Models } from './models.tsx'
import { PageSettings } from './page-settings.tsx'

/** `/config` and `/config/:file`. A file is its path; the other views have names without a slash. */
export function Config({ id: file, query }: PlaceProps) {
  const line = Number(query['line'])
  const { value, error, reload } = useAnswer('GET /api/config', {}, { on: ['config.changed'] })
  const views: Views = {
    config: value,
    wanted: query['use'],
    line: Number.isInteger(line) && line > 0 ? line : undefined,
    reload,
  }
  const failure = value ? undefined : error && <ErrorLine error={error} />
  return (
    <Split
      kind="list"
      back={addresses.config}
      backLabel="Config"
      detailLabel={file ?? 'Problems'}
      list={<ConfigList config={value} error={error} opened={file} />}
      {...(file !== undefined && {
        detail: <div class="config-view">{failure ?? <View view={file} {...views} />}</div>,
      })}
      placeholder={<div class="config-view">{failure ?? <View view="problems" {...views} />}</div>}
    />
  )
}

interface Views {
  readonly config: RouteAnswer<'GET /api/config'> | undefined
  readonly line: number | undefined
  /** The source that the address asks to use. */
  readonly wanted: string | undefined
  readonly reload: () => Promise<void>
}

function View({ view, config, line, wanted, reload }: Views & { readonly view: string }) {
  if (view === 'models') return <Models />
  if (view === 'page') return <PageSettings />
  if (view.includes('/') || view.includes('\\')) return <ConfigFileText key={view} file={view} line={line} />
  if (!config) return <Loading what="Reading the configuration" />
  if (view === 'sources')
    return <ConfigSources sources={config.sources} wanted={wanted} onChanged={() => void reload()} />
  if (view === 'settings') return <ConfigSettings settings={config.settings} />
  return <ConfigProblems problems={config.problems} onChanged={() => void reload()} />
}
