//! Conversions between values and Bolt.

use boltr::types::{
    BoltDate, BoltDateTime, BoltDict, BoltDuration, BoltLocalDateTime, BoltLocalTime, BoltNode, BoltPath,
    BoltRelationship, BoltTime, BoltUnboundRelationship, BoltValue,
};
use quiver::cypher::{
    Duration, DurationParts, Map, Moment, MomentParts, NodeId, Path, RelationshipId, Rows, Value,
};

use super::failure::Failure;

const NANOS: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
/// The names of time zones that are a fixed offset.
const UTC: &[&str] = &["UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z"];

/// Converts a value of a result.
pub(super) fn to_bolt(value: &Value, rows: &Rows) -> BoltValue {
    match value {
        Value::Null => BoltValue::Null,
        Value::Boolean(value) => BoltValue::Boolean(*value),
        Value::Integer(value) => BoltValue::Integer(*value),
        Value::Float(value) => BoltValue::Float(*value),
        Value::String(text) => BoltValue::String(text.to_string()),
        Value::List(items) => BoltValue::List(items.iter().map(|item| to_bolt(item, rows)).collect()),
        Value::Map(map) => BoltValue::Dict(properties(map, rows)),
        Value::Node(id) => BoltValue::Node(node(*id, rows)),
        Value::Relationship(id) => BoltValue::Relationship(relationship(*id, rows)),
        Value::Path(path) => BoltValue::Path(of_path(path, rows)),
        Value::Moment(moment) => of_moment(moment.parts()),
        Value::Duration(duration) => {
            let DurationParts { months, days, seconds, nanos } = duration.parts();
            BoltValue::Duration(BoltDuration { months, days, seconds, nanoseconds: nanos })
        }
    }
}

fn properties(map: &Map, rows: &Rows) -> BoltDict {
    map.iter().map(|(key, value)| (key.clone(), to_bolt(value, rows))).collect()
}

/// Returns the number for `id()`. Neo4j tells clients not to rely on it; the element ID is complete.
fn short(id: u128) -> i64 {
    i64::try_from(id & u128::from(i64::MAX.unsigned_abs())).unwrap_or_default()
}

/// Converts a node. A node that the query deleted has neither labels nor properties.
fn node(id: NodeId, rows: &Rows) -> BoltNode {
    let found = rows.nodes.get(&id);
    BoltNode {
        id: short(id.0),
        labels: found.map(|node| node.labels.iter().cloned().collect()).unwrap_or_default(),
        properties: found.map(|node| properties(&node.properties, rows)).unwrap_or_default(),
        element_id: id.to_string(),
    }
}

fn relationship(id: RelationshipId, rows: &Rows) -> BoltRelationship {
    let found = rows.relationships.get(&id);
    let (start, end) = found.map_or((NodeId(0), NodeId(0)), |one| (one.start, one.end));
    BoltRelationship {
        id: short(id.0),
        start_node_id: short(start.0),
        end_node_id: short(end.0),
        rel_type: found.map(|one| one.kind.clone()).unwrap_or_default(),
        properties: found.map(|one| properties(&one.properties, rows)).unwrap_or_default(),
        element_id: id.to_string(),
        start_element_id: start.to_string(),
        end_element_id: end.to_string(),
    }
}

/// Converts a path: its nodes and relationships, each once; then for each step the number of its relationship, from 1
/// and negative if against its direction, and of the node it leads to, from 0.
fn of_path(path: &Path, rows: &Rows) -> BoltPath {
    let (mut nodes, mut relationships): (Vec<NodeId>, Vec<RelationshipId>) = (Vec::new(), Vec::new());
    let mut indices = Vec::new();
    for (at, id) in path.nodes.iter().enumerate() {
        if at > 0
            && let Some(step) = path.relationships.get(at - 1)
        {
            let number = place(&mut relationships, *step) + 1;
            let forward = rows.relationships.get(step).is_none_or(|one| one.start == path.nodes[at - 1]);
            indices.push(if forward { number } else { -number });
        }
        let number = place(&mut nodes, *id);
        if at > 0 {
            indices.push(number);
        }
    }
    let unbound = |id: &RelationshipId| {
        let BoltRelationship { id, rel_type, properties, element_id, .. } = relationship(*id, rows);
        BoltUnboundRelationship { id, rel_type, properties, element_id }
    };
    BoltPath {
        nodes: nodes.iter().map(|id| node(*id, rows)).collect(),
        rels: relationships.iter().map(unbound).collect(),
        indices,
    }
}

/// Returns the position of an item in a list, adding it if it is missing.
fn place<T: PartialEq>(list: &mut Vec<T>, one: T) -> i64 {
    let at = list.iter().position(|known| *known == one).unwrap_or_else(|| {
        list.push(one);
        list.len() - 1
    });
    i64::try_from(at).unwrap_or(i64::MAX)
}

fn of_moment(parts: MomentParts) -> BoltValue {
    let MomentParts { days, nanos, offset } = parts;
    let offset_seconds = offset.map(i64::from);
    match (days, nanos, offset_seconds) {
        (Some(days), None, _) => BoltValue::Date(BoltDate { days }),
        (None, nanos, None) => BoltValue::LocalTime(BoltLocalTime { nanoseconds: nanos.unwrap_or_default() }),
        (None, nanos, Some(tz_offset_seconds)) => {
            BoltValue::Time(BoltTime { nanoseconds: nanos.unwrap_or_default(), tz_offset_seconds })
        }
        (Some(days), Some(nanos), offset) => {
            let seconds = days * SECONDS_PER_DAY + nanos / NANOS - offset.unwrap_or_default();
            let nanoseconds = nanos % NANOS;
            match offset {
                None => BoltValue::LocalDateTime(BoltLocalDateTime { seconds, nanoseconds }),
                // The seconds are in UTC.
                Some(tz_offset_seconds) => {
                    BoltValue::DateTime(BoltDateTime { seconds, nanoseconds, tz_offset_seconds })
                }
            }
        }
    }
}

/// Converts the parameters of a query.
pub(super) fn parameters(given: &BoltDict) -> Result<Map, Failure> {
    let named = |(name, value): (&String, &BoltValue)| {
        let value = from_bolt(value);
        let value = value.map_err(|why| Failure::wrong_type(format!("the parameter ${name}: {why}")))?;
        Ok((name.clone(), value))
    };
    given.iter().map(named).collect()
}

fn from_bolt(value: &BoltValue) -> Result<Value, String> {
    Ok(match value {
        BoltValue::Null => Value::Null,
        BoltValue::Boolean(value) => Value::Boolean(*value),
        BoltValue::Integer(value) => Value::Integer(*value),
        BoltValue::Float(value) => Value::Float(*value),
        BoltValue::String(text) => Value::string(text),
        BoltValue::List(items) => Value::list(items.iter().map(from_bolt).collect::<Result<_, _>>()?),
        BoltValue::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| Ok((key.clone(), from_bolt(value)?)));
            Value::map(entries.collect::<Result<_, String>>()?)
        }
        BoltValue::Duration(BoltDuration { months, days, seconds, nanoseconds }) => {
            let parts =
                DurationParts { months: *months, days: *days, seconds: *seconds, nanos: *nanoseconds };
            Value::Duration(Duration::of_parts(parts).ok_or("the duration is out of range")?)
        }
        BoltValue::Date(_)
        | BoltValue::Time(_)
        | BoltValue::LocalTime(_)
        | BoltValue::DateTime(_)
        | BoltValue::DateTimeZoneId(_)
        | BoltValue::LocalDateTime(_) => Value::Moment(moment(value)?),
        BoltValue::Bytes(_) => {
            return Err("byte arrays are not supported; send them as text, for example in Base64".to_owned());
        }
        BoltValue::Point2D(_) | BoltValue::Point3D(_) => {
            return Err("points are not supported; send the coordinates as numbers".to_owned());
        }
        BoltValue::Node(_)
        | BoltValue::Relationship(_)
        | BoltValue::UnboundRelationship(_)
        | BoltValue::Path(_) => {
            return Err(
                "nodes, relationships and paths can't be parameters; send a property that identifies them"
                    .to_owned(),
            );
        }
    })
}

fn moment(value: &BoltValue) -> Result<Moment, String> {
    let at = |seconds: i64, nanoseconds: i64, offset: Option<i64>| {
        let local = seconds.checked_add(offset.unwrap_or_default())?;
        // More than a second of nanoseconds is rejected below.
        let nanos = (0..NANOS).contains(&nanoseconds).then_some(nanoseconds)?;
        let of_day = local.rem_euclid(SECONDS_PER_DAY) * NANOS + nanos;
        Some(MomentParts { days: Some(local.div_euclid(SECONDS_PER_DAY)), nanos: Some(of_day), offset: None })
    };
    let with_offset = |parts: MomentParts, offset: i64| {
        Some(MomentParts { offset: Some(i32::try_from(offset).ok()?), ..parts })
    };
    let parts = match value {
        BoltValue::Date(date) => Some(MomentParts { days: Some(date.days), ..MomentParts::default() }),
        BoltValue::LocalTime(time) => {
            Some(MomentParts { nanos: Some(time.nanoseconds), ..MomentParts::default() })
        }
        BoltValue::Time(time) => {
            let parts = MomentParts { nanos: Some(time.nanoseconds), ..MomentParts::default() };
            with_offset(parts, time.tz_offset_seconds)
        }
        BoltValue::LocalDateTime(local) => at(local.seconds, local.nanoseconds, None),
        BoltValue::DateTime(BoltDateTime { seconds, nanoseconds, tz_offset_seconds }) => {
            let offset = *tz_offset_seconds;
            at(*seconds, *nanoseconds, Some(offset)).and_then(|parts| with_offset(parts, offset))
        }
        BoltValue::DateTimeZoneId(zoned) if UTC.contains(&zoned.tz_id.as_str()) => {
            at(zoned.seconds, zoned.nanoseconds, Some(0)).and_then(|parts| with_offset(parts, 0))
        }
        BoltValue::DateTimeZoneId(zoned) => {
            let zone: String = zoned.tz_id.chars().take(60).collect();
            return Err(format!("named time zones such as {zone:?} are not supported; send an offset"));
        }
        _ => None,
    };
    parts.and_then(Moment::of_parts).ok_or_else(|| "the date or time is out of range".to_owned())
}

#[cfg(test)]
mod tests;
