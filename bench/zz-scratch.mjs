import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import { migrate, openPglite, postgresEngineStore, statement } from '@lockstep/postgres'
import { closedLoop } from './measure/closed-loop.mjs'
import { activities, three, threeGraph } from './engines/lockstep-programs.mjs'
import { mkdtempSync } from 'node:fs'
const common = { clock: systemClock, random: systemRandom, logger: silentLogger }
const db = await openPglite({ dataDir: mkdtempSync('/tmp/lockstep-bench-y')+'/d', housekeepingEveryMs: +(process.argv[2]??600000), ...common })
await migrate(db, { mode: 'auto', ...common })
const q = statement('zz', () => [], `select relname, relpages, reltuples from pg_class where relname in ('agenda','agenda_pkey','journal','journal_pkey','instance','instance_pkey','agenda_due') order by 1`)
const engine = await Engine.open({ store: postgresEngineStore(db), ...common, workflows: [three], activities, flights: 1, concurrency: 512 })
for (let i=0;i<8;i++) { const c0=process.cpuUsage(); const r=await closedLoop({callers:[64,256][i%2],rampMs:100,windowMs:1500,once:async(n)=>{const {instanceId}=await engine.start({definitionId:'three',input:{n}}); await engine.waitForEnd(instanceId,{here:true})}}); const u=process.cpuUsage(c0); console.log([64,256][i%2],r.perSecond.toFixed(0),r.total,'cpu ms each',((u.user+u.system)/1000/r.total).toFixed(3)); 
 if (process.argv[3]==='v') await db.script('vacuum'); if (process.argv[3]==='va') await db.script('vacuum analyze'); if (process.argv[3]==='a') await db.script('analyze'); if (process.argv[3]==='w') await new Promise(r=>setTimeout(r,4000));
 console.log((await db.many(q)).map(x=>Object.values(x).join(' ')).join(' | ')) }
await engine.close(); await db.close()
