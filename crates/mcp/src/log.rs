//! Log messages for clients, from the level that they request.
#![expect(deprecated, reason = "current clients still request log messages")]

use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use serde_json::Value as Json;
use tokio::sync::broadcast;

/// Messages that wait for a session. A session that is too slow misses the oldest.
const WAITING: usize = 64;
const LOGGER: &str = "agpm";

/// From the least to the most severe. Levels of the SDK have no order.
const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// Sends log entries to all sessions.
pub(crate) struct LogBroadcast(broadcast::Sender<LogEntry>);

#[derive(Clone, Debug)]
pub(crate) struct LogEntry {
    level: LoggingLevel,
    data: Json,
}

impl Default for LogBroadcast {
    fn default() -> Self {
        LogBroadcast(broadcast::channel(WAITING).0)
    }
}

impl LogBroadcast {
    /// Sends diagnostics to all sessions.
    pub(crate) fn send(&self, diagnostics: &[Json]) {
        for diagnostic in diagnostics {
            let entry = LogEntry {
                level: level_of(diagnostic),
                data: diagnostic.clone(),
            };
            // An error means that no session is open.
            let _ = self.0.send(entry);
        }
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<LogEntry> {
        self.0.subscribe()
    }
}

fn level_of(diagnostic: &Json) -> LoggingLevel {
    match diagnostic["severity"].as_str() {
        Some("error") => LoggingLevel::Error,
        Some("warning") => LoggingLevel::Warning,
        _ => LoggingLevel::Info,
    }
}

/// The lowest level that a session gets.
#[derive(Debug)]
pub(crate) struct LogThreshold(AtomicUsize);

impl Default for LogThreshold {
    fn default() -> Self {
        LogThreshold(AtomicUsize::new(severity(LoggingLevel::Warning)))
    }
}

impl LogThreshold {
    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(severity(level), Ordering::Relaxed);
    }

    /// The message for the session, if the entry is severe enough.
    pub(crate) fn message(&self, entry: LogEntry) -> Option<LoggingMessageNotificationParam> {
        if severity(entry.level) < self.0.load(Ordering::Relaxed) {
            return None;
        }
        Some(LoggingMessageNotificationParam::new(entry.level, entry.data).with_logger(LOGGER))
    }
}

fn severity(level: LoggingLevel) -> usize {
    LEVELS.iter().position(|known| *known == level).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_gets_entries_from_its_level() {
        let log = LogBroadcast::default();
        let mut entries = log.subscribe();
        log.send(&["note", "warning", "error"].map(|severity| json!({ "severity": severity })));
        let entries: Vec<LogEntry> = std::iter::from_fn(|| entries.try_recv().ok()).collect();
        let threshold = LogThreshold::default();
        let count = || {
            let messages = entries
                .iter()
                .filter_map(|entry| threshold.message(entry.clone()));
            messages.count()
        };
        assert_eq!(count(), 2);
        threshold.set(LoggingLevel::Error);
        assert_eq!(count(), 1);
        threshold.set(LoggingLevel::Emergency);
        assert_eq!(count(), 0);
        threshold.set(LoggingLevel::Debug);
        assert_eq!(count(), 3);
    }
}
