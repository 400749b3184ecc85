import type { Clock, JsonObject } from '@lockstep/base'
import { httpClient } from '../../outbound/http/http-client.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { outboundTenants } from '../../outbound/outbound-tenants.ts'
import type { ActivityContext, ActivityResult, CustomActivity, EffectActivity } from '../activity-handler.ts'
import type { ActivityType } from '../activity-type.ts'
import { httpRequestActivity } from './http-request.ts'
import { rabbitmqPublishActivity } from './rabbitmq-publish.ts'
import { redisPublishActivity } from './redis-publish.ts'
import { type HttpServices, runHttpRequest } from './run-http-request.ts'
import { runRabbitmqPublish, runRedisPublish } from './run-publish.ts'
import { runSendEmail } from './run-send-email.ts'
import { runOuterQuery, runOwnQuery } from './run-sql-query.ts'
import { runWebhook } from './run-webhook.ts'
import { sendEmailActivity } from './send-email.ts'
import { sqlQueryActivity } from './sql-query.ts'
import { webhookActivity } from './webhook.ts'

export interface OutsideServices {
  readonly clock: Clock
  readonly outbound: Outbound
}

/** The code of the built-in types that talk to the outside. */
export function outsideActivities({ clock, outbound }: OutsideServices): readonly CustomActivity[] {
  const { mailer, redis, rabbitmq, connections, ownDatabase = false } = outbound
  const mayUse = outboundTenants(outbound.tenants)
  const forTenant = <T>(configured: T, { tenant }: ActivityContext): T | undefined =>
    mayUse(tenant) ? configured : undefined
  const webWith = (allow: readonly string[] = []): HttpServices => ({
    http: httpClient({ ...outbound, allow, clock }),
    now: () => clock.now(),
  })
  const [allowed, publicOnly] = [webWith(outbound.allow), webWith()]
  const web = (context: ActivityContext): HttpServices => forTenant(allowed, context) ?? publicOnly
  const outer = effect(sqlQueryActivity, (inputs, context) =>
    runOuterQuery(forTenant(connections, context), inputs, context),
  )
  return [
    effect(httpRequestActivity, (inputs, context) => runHttpRequest(web(context), inputs, context)),
    effect(webhookActivity, (inputs, context) => runWebhook(web(context), inputs, context)),
    effect(sendEmailActivity, (inputs, context) => runSendEmail(forTenant(mailer, context), inputs, context)),
    effect(redisPublishActivity, (inputs, context) => runRedisPublish(forTenant(redis, context), inputs, context)),
    // The broker is one for all tenants, as their queues are that start workflows.
    effect(rabbitmqPublishActivity, (inputs, context) => runRabbitmqPublish(rabbitmq, inputs, context)),
    {
      ...sqlQueryActivity,
      runs: 'transaction',
      run: (inputs, context) => runOwnQuery(ownDatabase, inputs, context),
      elsewhere: ({ connection }) => (connection === undefined || connection === null ? undefined : outer),
    },
  ]
}

function effect(
  type: ActivityType,
  run: (inputs: JsonObject, context: ActivityContext) => Promise<ActivityResult>,
): EffectActivity {
  return { ...type, runs: 'effect', run }
}
